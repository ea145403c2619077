import { groupAccessContract } from '@portico/contracts';
import { nextChangeAt, type ProfileId, type Tier } from '@portico/domain';
import { breachesOf, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { byCodePoints, frozenCopy, type MemoryDatabase } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';

const { byUid } = breachesOf('callers');
const { clients, removeTier } = breachesOf('limits');
const { find, remove, visibleIds } = breachesOf('collections');
const { remove: removeProfile, update: updateProfile } = breachesOf('profiles');

/** Returns rows with a different group tier, the first one in the given order. */
const chooseGroupTier = (
  compare: (a: Tier, b: Tier) => number,
  counts: (tier: Tier) => boolean = ({ isActive }) => isActive,
) =>
  byUid.mapResult((row, _args, database) => {
    const [first] = tiersOf(database, row?.profile.id).filter(counts).sort(compare);
    return row && { ...row, limits: { ...row.limits, groupTier: first ? ruleOf(first) : null } };
  });

const tiersOf = (database: MemoryDatabase, profile: ProfileId | undefined): Tier[] =>
  profile === undefined
    ? []
    : groupsOf(database, profile).flatMap(({ tier }) => (tier === null ? [] : (database.tiers.get(tier) ?? [])));

const ruleOf = ({ tier, allowed, windowSeconds }: Tier) => ({ tier, allowed, windowSeconds });

const perSecond = ({ allowed, windowSeconds }: Tier): number => allowed / windowSeconds;

proveStores('the memory stores, on access by groups', groupAccessContract, {
  'a row contains the most generous active tier of the groups': chooseGroupTier((a, b) => b.allowed - a.allowed),
  'the limits of all clients equal those of their rows, and are sorted by e-mail': clients.mapResult((clients) =>
    clients.map((one) => ({ ...one, limits: { ...one.limits, groupTier: null } })),
  ),
  'of equally generous tiers of groups, the first by name counts': chooseGroupTier(
    (a, b) => perSecond(b) - perSecond(a) || byCodePoints(b.tier, a.tier),
  ),
  'inactive tiers, groups without a tier, and groups of other clients do not count': chooseGroupTier(
    (a, b) => perSecond(b) - perSecond(a),
    () => true,
  ),
  'the tier of a group counts for profiles whose token names the group, until a token does not': byUid.mapResult(
    (row, _args, { groupMembers }) => {
      const isMember = [...groupMembers.values()].some((members) => row && members.has(row.profile.id));
      return row && { ...row, limits: { ...row.limits, groupTier: isMember ? row.limits.groupTier : null } };
    },
  ),
  'a row contains both the tier of the profile and that of its groups': byUid.mapResult(
    (row) => row && { ...row, limits: { ...row.limits, tier: row.limits.groupTier ?? row.limits.tier } },
  ),
  'removing a tier removes it from every group that has it, as an update of that group, and from no other':
    removeTier.replaceWith(async ([name, decide], original, { groups }) => {
      let removedAt = 0;
      await original.removeTier(name, (current) => {
        const change = decide(current);
        removedAt = change.removedAt;
        return change;
      });
      for (const group of groups.values())
        groups.set(group.id, frozenCopy({ ...group, updatedAt: nextChangeAt(group.updatedAt, removedAt) }));
    }),
  'a collection granted to a client in several ways is listed once, in lists, pages and ids': visibleIds.mapResult(
    (ids, _args, database) =>
      ids.flatMap((id) => [...database.grants.values()].flatMap((granted) => (granted.has(id) ? [id] : []))),
  ),
  'removing a collection removes the grants of groups for it, and no others': remove.restoreAfter(
    ({ groups, grants }, [id]) => {
      const granted = [...groups.keys()]
        .map((group) => grants.get(group))
        .filter((groupGrants) => groupGrants?.has(id));
      return () => granted.forEach((groupGrants) => groupGrants?.set(id, { grantedAt: 0, expiresAt: null }));
    },
  ),
  'the groups epoch grows when a collection of a group is removed': remove.restoreAfter((database) => {
    const before = database.groupsEpoch;
    return () => (database.groupsEpoch = before);
  }),
  'an addition and an update store whether a collection is discoverable': find.mapResult(
    (collection) => collection && { ...collection, discoverable: false },
  ),
  'removing a profile removes it from its groups, and no other profile': removeProfile.restoreAfter(
    ({ claims }, [id]) => saveEntries(claims, (profile) => profile === id),
  ),
  'an update of a profile keeps its groups and its claims': updateProfile.runBefore(({ claims }, [id]) =>
    claims.delete(id),
  ),
});
