import { groupsClaim, groupsClaimContract, proofsOf } from '@portico/contracts';
import type { GroupsClaimSubject, Sabotages, TokenClaims } from '@portico/contracts';
import type { GroupsClaim } from '@portico/domain';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { answering } from '../test/breaking-verifier.ts';
import { createTestIssuer, testAudience, testIssuer } from './test-issuer.ts';

const createSubject = (): GroupsClaimSubject => {
  const clock = createMemoryClock();
  const issuer = createTestIssuer({ clock, groupsClaim });
  return {
    verifier: { verify: (token) => issuer.verify(token) },
    issuer: testIssuer,
    audience: testAudience,
    clock,
    mint: async (claims) => issuer.mintClaims(claims),
  };
};

/** Says something else of the groups that the token names. */
const saying = (change: (found: GroupsClaim | null, claims: TokenClaims) => Partial<GroupsClaim> | null) =>
  answering<GroupsClaimSubject>(({ groups }, claims) => {
    const changed = change(groups, claims);
    return { groups: changed && { names: [], issuedAt: 0, ...groups, ...changed } };
  });

const listed = (value: unknown): readonly string[] =>
  [value].flat().filter((name): name is string => typeof name === 'string');

const sabotages: Sabotages<typeof groupsClaimContract, GroupsClaimSubject> = {
  'a token names its groups, sorted by code points and each once': saying(
    (found) => found && { names: found.names.toSorted() },
  ),
  'a token says when it was issued': saying((found, { exp }) => found && { issuedAt: Number(exp) * 1_000 }),
  'a token without the claim names no group': saying(
    (found, { groups }) => found && { names: [...found.names, ...listed(groups)] },
  ),
  'a token that does not say when it was issued says nothing of groups': saying((found) => found ?? {}),
  'a claim of the whole name comes before a path of names': saying((found, { organisation }) =>
    organisation === undefined ? found : found && { names: listed((organisation as TokenClaims)['groups']) },
  ),
  'a claim may be one name': saying((found, claims) =>
    typeof claims[groupsClaim] === 'string' ? found && { names: claims[groupsClaim].split(', ') } : found,
  ),
  'a name is trimmed, and one that no group can have is left out': saying(
    (found) => found && { names: found.names.filter((name) => name.length < 201) },
  ),
  'a token names at most 1,000 groups, the first of them': saying(
    (found, claims) => found && { names: listed(claims[groupsClaim]).length > 1_000 ? [] : found.names },
  ),
};

for (const [name, run] of proofsOf(groupsClaimContract, sabotages, createSubject)) test(name, run);
