import { groupsClaim, groupsClaimContract, proofsOf } from '@portico/contracts';
import type { GroupsClaimSubject, Sabotages, TokenClaims } from '@portico/contracts';
import type { GroupsClaim } from '@portico/domain';
import { createMemoryClock } from '@portico/memory';
import { test } from 'vitest';
import { changeIdentity } from '../test/breaking-verifier.ts';
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

/** Returns a sabotage that changes the groups claim of the verified token. */
const changeGroups = (change: (claim: GroupsClaim | null, claims: TokenClaims) => Partial<GroupsClaim> | null) =>
  changeIdentity<GroupsClaimSubject>(({ groups }, claims) => {
    const changes = change(groups, claims);
    return { groups: changes && { names: [], issuedAt: 0, ...groups, ...changes } };
  });

const toNames = (value: unknown): readonly string[] =>
  [value].flat().filter((name): name is string => typeof name === 'string');

const sabotages: Sabotages<typeof groupsClaimContract, GroupsClaimSubject> = {
  'a token names its groups, sorted by code points and without duplicates': changeGroups(
    (claim) => claim && { names: claim.names.toSorted() },
  ),
  'the groups are returned with the time at which the token was issued': changeGroups(
    (claim, { exp }) => claim && { issuedAt: Number(exp) * 1_000 },
  ),
  'a token without the claim names no groups': changeGroups(
    (claim, { groups }) => claim && { names: [...claim.names, ...toNames(groups)] },
  ),
  'a token without the time at which it was issued has no groups claim': changeGroups((claim) => claim ?? {}),
  'a claim with the full name takes precedence over a path of names': changeGroups((claim, { organisation }) =>
    organisation === undefined ? claim : claim && { names: toNames((organisation as TokenClaims)['groups']) },
  ),
  'a claim may be a single name': changeGroups((claim, claims) =>
    typeof claims[groupsClaim] === 'string' ? claim && { names: claims[groupsClaim].split(', ') } : claim,
  ),
  'names are trimmed, and invalid group names are left out': changeGroups(
    (claim) => claim && { names: claim.names.filter((name) => name.length < 201) },
  ),
  'only the first 1,000 groups of a token are returned': changeGroups(
    (claim, claims) => claim && { names: toNames(claims[groupsClaim]).length > 1_000 ? [] : claim.names },
  ),
};

for (const [name, run] of proofsOf(groupsClaimContract, sabotages, createSubject)) test(name, run);
