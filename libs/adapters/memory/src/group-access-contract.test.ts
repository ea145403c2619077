import { groupAccessContract } from '@portico/contracts';
import { nextChangeAt, type ProfileId, type Tier } from '@portico/domain';
import { breachesOf, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';

const { findByUid } = breachesOf('callers');
const { listClients, removeTier } = breachesOf('limits');
const { find, remove, listVisibleIds } = breachesOf('collections');
const { remove: removeProfile, update: updateProfile } = breachesOf('profiles');

/** Returns rows with a different group tier, the first one in the given order. */
const chooseGroupTier = (
  compare: (a: Tier, b: Tier) => number,
  isCounted: (tier: Tier) => boolean = ({ isActive }) => isActive,
) =>
  findByUid.mapResult((row, _args, database) => {
    const [chosenTier] = tiersOf(database, row?.profile.id).filter(isCounted).sort(compare);
    return row && { ...row, limits: { ...row.limits, groupTier: chosenTier ? ruleOf(chosenTier) : null } };
  });

const tiersOf = (database: MemoryDatabase, profile: ProfileId | undefined): Tier[] =>
  profile === undefined
    ? []
    : groupsOf(database, profile).flatMap(({ tier }) => (tier === null ? [] : (database.tiers.get(tier) ?? [])));

const ruleOf = ({ tier, allowed, windowSeconds }: Tier) => ({ tier, allowed, windowSeconds });

const ratePerSecondOf = ({ allowed, windowSeconds }: Tier): number => allowed / windowSeconds;

proveStores('the memory stores, on access by groups', groupAccessContract, {
  "a row contains the most generous active tier of the client's groups": chooseGroupTier(
    (a, b) => b.allowed - a.allowed,
  ),
  'the limits of all clients equal those of their rows, and are sorted by email': listClients.mapResult((clients) =>
    clients.map((client) => ({ ...client, limits: { ...client.limits, groupTier: null } })),
  ),
  'if several tiers of groups are equally generous, the first by name counts': chooseGroupTier(
    (a, b) => ratePerSecondOf(b) - ratePerSecondOf(a) || compareCodePoints(b.tier, a.tier),
  ),
  'inactive tiers, groups without a tier and groups of other clients do not count': chooseGroupTier(
    (a, b) => ratePerSecondOf(b) - ratePerSecondOf(a),
    () => true,
  ),
  'the tier of a group counts for profiles whose token names the group, until a newer token does not name it':
    findByUid.mapResult((row, _args, { groupMembers }) => {
      const isMember = [...groupMembers.values()].some((members) => row && members.has(row.profile.id));
      return row && { ...row, limits: { ...row.limits, groupTier: isMember ? row.limits.groupTier : null } };
    }),
  'a row contains both the tier of the profile and the tier of its groups': findByUid.mapResult(
    (row) => row && { ...row, limits: { ...row.limits, tier: row.limits.groupTier ?? row.limits.tier } },
  ),
  'removing a tier removes it from every group that has it, and updates only those groups': removeTier.replaceWith(
    async ([name, decide], original, { groups }) => {
      let removedAt = 0;
      await original.removeTier(name, (current) => {
        const change = decide(current);
        removedAt = change.removedAt;
        return change;
      });
      for (const group of groups.values())
        groups.set(group.id, copyFrozen({ ...group, updatedAt: nextChangeAt(group.updatedAt, removedAt) }));
    },
  ),
  'a collection that is granted to a client in several ways occurs once in lists, pages and ids':
    listVisibleIds.mapResult((ids, _args, database) =>
      ids.flatMap((id) =>
        [...database.grants.values()].flatMap((collectionGrants) => (collectionGrants.has(id) ? [id] : [])),
      ),
    ),
  "removing a collection removes only the groups' grants for that collection": remove.restoreAfter(
    ({ groups, grants }, [id]) => {
      const grantsForCollection = [...groups.keys()]
        .map((group) => grants.get(group))
        .filter((groupGrants) => groupGrants?.has(id));
      return () =>
        grantsForCollection.forEach((groupGrants) =>
          groupGrants?.set(id, { grantedAt: 0, expiresAt: null, rule: null }),
        );
    },
  ),
  'removing a collection of a group increases the groups epoch': remove.restoreAfter((database) => {
    const epochBefore = database.groupsEpoch;
    return () => (database.groupsEpoch = epochBefore);
  }),
  'adding and updating a collection store whether it is discoverable': find.mapResult(
    (collection) => collection && { ...collection, discoverable: false },
  ),
  'removing a profile removes only that profile from its groups': removeProfile.restoreAfter(({ claims }, [id]) =>
    saveEntries(claims, (profile) => profile === id),
  ),
  'updating a profile keeps its groups and its claims': updateProfile.runBefore(({ claims }, [id]) =>
    claims.delete(id),
  ),
});
