import { groupAccessContract, type Sabotages, type Stores } from '@portico/contracts';
import { type Collection, type CollectionId, nextChangeAt, type ProfileId, type Tier } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { byCodePoints, kept, type MemoryDatabase } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Rows with another tier of the groups: the first of all their tiers. */
const choosing = (
  compare: (a: Tier, b: Tier) => number,
  counts: (tier: Tier) => boolean = ({ isActive }) => isActive,
) =>
  breaking('callers', (right, _stores, database) => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      const [first] = tiersOf(database, row?.profile.id).filter(counts).sort(compare);
      return row && { ...row, limits: { ...row.limits, groupTier: first ? ruleOf(first) : null } };
    },
  }));

const tiersOf = (database: MemoryDatabase, profile: ProfileId | undefined): Tier[] =>
  profile === undefined
    ? []
    : groupsOf(database, profile).flatMap(({ tier }) => (tier === null ? [] : (database.tiers.get(tier) ?? [])));

const ruleOf = ({ tier, allowed, windowSeconds }: Tier) => ({ tier, allowed, windowSeconds });

const perSecond = ({ allowed, windowSeconds }: Tier): number => allowed / windowSeconds;

/** A removal of a collection that leaves something behind. */
const leaving = (leave: (database: MemoryDatabase, id: CollectionId) => () => void) =>
  breaking('collections', (right, _stores, database) => ({
    remove: async (id, decide) => {
      const restore = leave(database, id);
      await right.remove(id, decide);
      restore();
    },
  }));

const withoutDiscoverable = (collection: Collection | null): Collection | null =>
  collection && { ...collection, discoverable: false };

const sabotages: Sabotages<typeof groupAccessContract, Stores> = {
  'a row holds the most generous active tier of the groups': choosing((a, b) => b.allowed - a.allowed),
  'the limits of all clients are those of their rows, by e-mail': breaking('limits', (right) => ({
    clients: async () => (await right.clients()).map((one) => ({ ...one, limits: { ...one.limits, groupTier: null } })),
  })),
  'of equally generous tiers of groups, the first by name counts': choosing(
    (a, b) => perSecond(b) - perSecond(a) || byCodePoints(b.tier, a.tier),
  ),
  'inactive tiers of groups, groups without one, and those of others do not count': choosing(
    (a, b) => perSecond(b) - perSecond(a),
    () => true,
  ),
  'the tier of a group counts for those whose token names it, and no longer once they leave': breaking(
    'callers',
    (right, _stores, { groupMembers }) => ({
      byUid: async (uid, target, now) => {
        const row = await right.byUid(uid, target, now);
        const isMember = [...groupMembers.values()].some((members) => row && members.has(row.profile.id));
        return row && { ...row, limits: { ...row.limits, groupTier: isMember ? row.limits.groupTier : null } };
      },
    }),
  ),
  'the tier of a profile and that of its groups stand side by side': breaking('callers', (right) => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      return row && { ...row, limits: { ...row.limits, tier: row.limits.groupTier ?? row.limits.tier } };
    },
  })),
  'a removal of a tier takes it from every group that has it, as a change of that group, and from no other': breaking(
    'limits',
    (right, _stores, { groups }) => ({
      removeTier: async (name, decide) => {
        let removedAt = 0;
        await right.removeTier(name, (current) => {
          const change = decide(current);
          removedAt = change.removedAt;
          return change;
        });
        for (const group of groups.values())
          groups.set(group.id, kept({ ...group, updatedAt: nextChangeAt(group.updatedAt, removedAt) }));
      },
    }),
  ),
  'a collection that a client has in several ways is listed once, in lists, pages and ids': breaking(
    'collections',
    (right, _stores, database) => ({
      visibleIds: async (visibility) => {
        const ids = await right.visibleIds(visibility);
        return ids.flatMap((id) => [...database.grants.values()].flatMap((granted) => (granted.has(id) ? [id] : [])));
      },
    }),
  ),
  'a removal of a collection removes the grants of groups for it, and for no other': leaving(
    ({ groups, grants }, id) => {
      const granted = [...groups.keys()].map((group) => grants.get(group)).filter((each) => each?.has(id));
      return () => granted.forEach((each) => each?.set(id, { grantedAt: 0, expiresAt: null }));
    },
  ),
  'the groups epoch grows when a collection of a group is removed': leaving((database) => {
    const before = database.groupsEpoch;
    return () => (database.groupsEpoch = before);
  }),
  'whether a collection is discoverable is kept, by an addition and by an update': breaking('collections', (right) => ({
    find: async (id) => withoutDiscoverable(await right.find(id)),
  })),
  'a removal of a profile takes it out of its groups, and no other': breaking(
    'profiles',
    (right, _stores, { claims }) => ({
      remove: async (id, decide) => {
        const claimed = claims.get(id);
        await right.remove(id, decide);
        if (claimed) claims.set(id, claimed);
      },
    }),
  ),
  'an update of a profile leaves its groups and what its token said': breaking(
    'profiles',
    (right, _stores, { claims }) => ({
      update: (id, decide) => {
        claims.delete(id);
        return right.update(id, decide);
      },
    }),
  ),
};

describe('the memory stores, of groups', () => {
  proveContract(groupAccessContract, sabotages, createMemoryStores);
});
