import { groupAccessContract } from '@portico/contracts';
import { nextChangeAt, type ProfileId, type Tier } from '@portico/domain';
import { breachesOf, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { byCodePoints, kept, type MemoryDatabase } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';

const { byUid } = breachesOf('callers');
const { clients, removeTier } = breachesOf('limits');
const { find, remove, visibleIds } = breachesOf('collections');
const { remove: removeProfile, update: updateProfile } = breachesOf('profiles');

/** Rows with another tier of the groups: the first of all their tiers. */
const choosing = (
  compare: (a: Tier, b: Tier) => number,
  counts: (tier: Tier) => boolean = ({ isActive }) => isActive,
) =>
  byUid.returning((row, _asked, database) => {
    const [first] = tiersOf(database, row?.profile.id).filter(counts).sort(compare);
    return row && { ...row, limits: { ...row.limits, groupTier: first ? ruleOf(first) : null } };
  });

const tiersOf = (database: MemoryDatabase, profile: ProfileId | undefined): Tier[] =>
  profile === undefined
    ? []
    : groupsOf(database, profile).flatMap(({ tier }) => (tier === null ? [] : (database.tiers.get(tier) ?? [])));

const ruleOf = ({ tier, allowed, windowSeconds }: Tier) => ({ tier, allowed, windowSeconds });

const perSecond = ({ allowed, windowSeconds }: Tier): number => allowed / windowSeconds;

proveStores('the memory stores, of groups', groupAccessContract, {
  'a row holds the most generous active tier of the groups': choosing((a, b) => b.allowed - a.allowed),
  'the limits of all clients are those of their rows, by e-mail': clients.returning((clients) =>
    clients.map((one) => ({ ...one, limits: { ...one.limits, groupTier: null } })),
  ),
  'of equally generous tiers of groups, the first by name counts': choosing(
    (a, b) => perSecond(b) - perSecond(a) || byCodePoints(b.tier, a.tier),
  ),
  'inactive tiers of groups, groups without one, and those of others do not count': choosing(
    (a, b) => perSecond(b) - perSecond(a),
    () => true,
  ),
  'the tier of a group counts for those whose token names it, and no longer once they leave': byUid.returning(
    (row, _asked, { groupMembers }) => {
      const isMember = [...groupMembers.values()].some((members) => row && members.has(row.profile.id));
      return row && { ...row, limits: { ...row.limits, groupTier: isMember ? row.limits.groupTier : null } };
    },
  ),
  'the tier of a profile and that of its groups stand side by side': byUid.returning(
    (row) => row && { ...row, limits: { ...row.limits, tier: row.limits.groupTier ?? row.limits.tier } },
  ),
  'a removal of a tier takes it from every group that has it, as a change of that group, and from no other':
    removeTier.instead(async ([name, decide], right, { groups }) => {
      let removedAt = 0;
      await right.removeTier(name, (current) => {
        const change = decide(current);
        removedAt = change.removedAt;
        return change;
      });
      for (const group of groups.values())
        groups.set(group.id, kept({ ...group, updatedAt: nextChangeAt(group.updatedAt, removedAt) }));
    }),
  'a collection that a client has in several ways is listed once, in lists, pages and ids': visibleIds.returning(
    (ids, _asked, database) =>
      ids.flatMap((id) => [...database.grants.values()].flatMap((granted) => (granted.has(id) ? [id] : []))),
  ),
  'a removal of a collection removes the grants of groups for it, and for no other': remove.leaving(
    ({ groups, grants }, [id]) => {
      const granted = [...groups.keys()].map((group) => grants.get(group)).filter((each) => each?.has(id));
      return () => granted.forEach((each) => each?.set(id, { grantedAt: 0, expiresAt: null }));
    },
  ),
  'the groups epoch grows when a collection of a group is removed': remove.leaving((database) => {
    const before = database.groupsEpoch;
    return () => (database.groupsEpoch = before);
  }),
  'whether a collection is discoverable is kept, by an addition and by an update': find.returning(
    (collection) => collection && { ...collection, discoverable: false },
  ),
  'a removal of a profile takes it out of its groups, and no other': removeProfile.leaving(({ claims }, [id]) =>
    restoring(claims, (profile) => profile === id),
  ),
  'an update of a profile leaves its groups and what its token said': updateProfile.preceded(({ claims }, [id]) =>
    claims.delete(id),
  ),
});
