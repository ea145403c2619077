import type { GroupClaims } from '../../groups/group.ts';
import type { Ports } from '../../ports/index.ts';
import type { GroupsClaim } from '../../profiles/identity.ts';
import type { Actor } from '../../profiles/profile.ts';
import { profileFieldsOf, createSystemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';

/**
 * Whether a token is newer than the stored claims: it was issued later, or in the same second with different groups.
 * Older tokens change nothing, so that a profile cannot return to a group with an old token.
 */
export const isNewer = (claim: GroupsClaim | null, storedClaims: GroupClaims | null): claim is GroupsClaim => {
  if (!claim) return false;
  if (!storedClaims || claim.issuedAt > storedClaims.issuedAt) return true;
  return claim.issuedAt === storedClaims.issuedAt && !isSame(claim.names, storedClaims.names);
};

/**
 * Stores the group claims of a profile's token, unless newer ones are stored; closes the requests that they satisfy. As
 * with a binding, the claims remain valid even if the request fails.
 */
export const syncClaims = async (
  ports: Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>,
  profile: Actor,
  { names, issuedAt }: GroupsClaim,
): Promise<void> => {
  const { groups, clock } = ports;
  const claimedGroups = (await groups.listByProfile(profile.id)).filter(({ claimedAt }) => claimedAt !== null);
  const existingNames = new Set([...claimedGroups, ...(await groups.findByNames(names))].map(({ name }) => name));
  const now = clock.now();
  await groups.syncClaims(profile.id, { names, issuedAt, seenAt: now }, (storedClaims, requests) => {
    const gainedNames = subtractNames(names, storedClaims?.names ?? []).filter((name) => existingNames.has(name));
    const lostNames = subtractNames(storedClaims?.names ?? [], names).filter((name) => existingNames.has(name));
    const message = {
      action: 'group.claim' as const,
      ...profileFieldsOf(profile),
      gained: gainedNames,
      lost: lostNames,
    };
    return {
      ...closeByGrant(ports, requests, now),
      entries: gainedNames.length + lostNames.length > 0 ? [createSystemEntry(ports, profile, message)] : [],
      deadline: null,
    };
  });
};

const subtractNames = (names: readonly string[], excludedNames: readonly string[]): readonly string[] => {
  const excludedSet = new Set(excludedNames);
  return names.filter((name) => !excludedSet.has(name));
};

const isSame = (names: readonly string[], otherNames: readonly string[]): boolean =>
  names.length === otherNames.length && names.every((name, index) => name === otherNames[index]);
