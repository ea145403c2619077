import type { GroupClaims } from '../../groups/group.ts';
import type { Ports } from '../../ports/index.ts';
import type { GroupsClaim } from '../../profiles/identity.ts';
import type { Actor } from '../../profiles/profile.ts';
import { ofProfile, systemEntry } from '../audit/system-entry.ts';
import { closedByGrant } from '../requests/closed-by-grant.ts';

/**
 * Whether a token says more than is stored: it was issued later, or in the same second with other groups. Older tokens
 * change nothing, so that nobody returns to a group by a token from before.
 */
export const isNews = (said: GroupsClaim | null, stored: GroupClaims | null): said is GroupsClaim => {
  if (!said) return false;
  if (!stored || said.issuedAt > stored.issuedAt) return true;
  return said.issuedAt === stored.issuedAt && !isSame(said.names, stored.names);
};

/**
 * Stores what a profile's token says about its groups, unless a newer one has been stored; closes the requests that it
 * satisfies. As with a binding, what the token has proven stays true, whatever happens to the request.
 */
export const followClaims = async (
  ports: Pick<Ports, 'clock' | 'groups' | 'mailer' | 'random'>,
  profile: Actor,
  { names, issuedAt }: GroupsClaim,
): Promise<void> => {
  const { groups, clock } = ports;
  const before = (await groups.groupsOf(profile.id)).filter(({ claimedAt }) => claimedAt !== null);
  const known = new Set([...before, ...(await groups.findByNames(names))].map(({ name }) => name));
  const now = clock.now();
  await groups.followClaims(profile.id, { names, issuedAt, seenAt: now }, (stored, requests) => {
    const gained = without(names, stored?.names ?? []).filter((name) => known.has(name));
    const lost = without(stored?.names ?? [], names).filter((name) => known.has(name));
    const message = { action: 'group.claim' as const, ...ofProfile(profile), gained, lost };
    return {
      ...closedByGrant(ports, requests, now),
      entries: gained.length + lost.length > 0 ? [systemEntry(ports, profile, message)] : [],
      deadline: null,
    };
  });
};

const without = (names: readonly string[], others: readonly string[]): readonly string[] => {
  const excluded = new Set(others);
  return names.filter((name) => !excluded.has(name));
};

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, at) => name === others[at]);
