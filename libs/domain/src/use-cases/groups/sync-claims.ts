import type { GroupClaims } from '../../groups/group.ts';
import type { Ports } from '../../ports/index.ts';
import type { GroupsClaim } from '../../profiles/identity.ts';
import type { Actor } from '../../profiles/profile.ts';
import { ofProfile, systemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';

/**
 * Whether a token is newer than the stored claims: it was issued later, or in the same second with different groups.
 * Older tokens change nothing, so that a profile cannot return to a group with an old token.
 */
export const isNewer = (claim: GroupsClaim | null, stored: GroupClaims | null): claim is GroupsClaim => {
  if (!claim) return false;
  if (!stored || claim.issuedAt > stored.issuedAt) return true;
  return claim.issuedAt === stored.issuedAt && !isSame(claim.names, stored.names);
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
  const before = (await groups.groupsOf(profile.id)).filter(({ claimedAt }) => claimedAt !== null);
  const known = new Set([...before, ...(await groups.findByNames(names))].map(({ name }) => name));
  const now = clock.now();
  await groups.syncClaims(profile.id, { names, issuedAt, seenAt: now }, (stored, requests) => {
    const gained = without(names, stored?.names ?? []).filter((name) => known.has(name));
    const lost = without(stored?.names ?? [], names).filter((name) => known.has(name));
    const message = { action: 'group.claim' as const, ...ofProfile(profile), gained, lost };
    return {
      ...closeByGrant(ports, requests, now),
      entries: gained.length + lost.length > 0 ? [systemEntry(ports, profile, message)] : [],
      deadline: null,
    };
  });
};

const without = (names: readonly string[], others: readonly string[]): readonly string[] => {
  const excluded = new Set(others);
  return names.filter((name) => !excluded.has(name));
};

const isSame = (names: readonly string[], others: readonly string[]): boolean =>
  names.length === others.length && names.every((name, at) => name === others[at]);
