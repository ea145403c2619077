import { limitStoreContract, noEffects } from '@portico/contracts';
import type { Override, Tier } from '@portico/domain';
import { breachesOf, changing, pause, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { kept, type MemoryDatabase } from './memory-database.ts';

const { addTier, removeTier, tiers, updateTier } = breachesOf('limits');
const { addOverride, clientOverrides, overrides, removeOverride, updateOverride } = breachesOf('limits');

/** Something happens after a change of an override, which sees the overrides of before. */
const after =
  (happens: (database: MemoryDatabase, override: Override, before: readonly Override[]) => void) =>
  (database: MemoryDatabase) => {
    const before = [...database.overrides.values()].map(({ override }) => override);
    return (override: Override) => happens(database, override, before);
  };

const setActive = ({ overrides }: MemoryDatabase, ids: readonly number[], isActive: boolean): void => {
  for (const [id, { override }] of overrides)
    if (ids.includes(id)) changing(overrides, id, { override: kept({ ...override, isActive }) });
};

const activeIds = (overrides: readonly Override[]): number[] =>
  overrides.filter(({ isActive }) => isActive).map(({ id }) => id);

const nobody: Tier = {
  tier: 'none',
  description: null,
  isActive: false,
  allowed: 1,
  windowSeconds: 1,
  createdAt: 0,
  updatedAt: 0,
};

proveStores('the memory limit store', limitStoreContract, {
  'an added tier is listed as it was given': tiers.returning((tiers) =>
    tiers.map((tier) => ({ ...tier, description: tier.description ?? '' })),
  ),
  'tiers are listed by name in code-point order': tiers.returning((tiers) =>
    [...tiers].sort((a, b) => a.tier.localeCompare(b.tier, 'en')),
  ),
  'an addition of a tier writes its effects': addTier.withoutEffects(),
  'a tier that exists is refused, and nothing is written': addTier.leaking(),
  'of concurrent additions of one tier, exactly one succeeds': addTier.instead(
    async ([tier, effects], right, { tiers }) => {
      if (tiers.has(tier.tier)) return right.addTier(tier, effects);
      await pause();
      tiers.set(tier.tier, tier);
    },
  ),
  'an update of a tier decides on the current one, stores the change and returns it': updateTier.deciding(
    (change, [current]) => ({
      ...change,
      tier: { ...change.tier, description: change.tier.description ?? current.description },
    }),
  ),
  'an update of a tier writes its effects': updateTier.withoutEffects(),
  'the name of a tier cannot change': updateTier.instead(async ([name, decide], right, { tiers }) => {
    const before = tiers.get(name);
    const { tier } = before ? decide(before) : { tier: nobody };
    tiers.delete(name);
    tiers.set(tier.tier, tier);
    return right.updateTier(tier.tier, () => ({ tier, ...noEffects }));
  }),
  'an update of a tier rethrows what its decision throws, and changes nothing': updateTier.leaking(),
  'an update of a missing tier is refused before the decision': updateTier.instead(
    async ([name, decide], right, { tiers }) =>
      tiers.has(name) ? right.updateTier(name, decide) : decide(nobody).tier,
  ),
  'concurrent updates of one tier each see the one before': updateTier.stale(),
  'a removal of a tier decides on the current one, removes only that tier and writes its effects':
    removeTier.withoutEffects(),
  'a removal of a tier takes it from every profile that has it, as a change of that profile, and from no other':
    removeTier.leaving(({ profiles }) => {
      const before = [...profiles.values()];
      return () => before.forEach(({ id, updatedAt }) => changing(profiles, id, { updatedAt }));
    }),
  'a new tier with the name of a removed one starts without clients': removeTier.leaving(({ profiles }) =>
    restoring(profiles),
  ),
  'a removal of a tier rethrows what its decision throws, and keeps the tier': removeTier.instead(
    async ([name, decide], right, { tiers }) => {
      const tier = tiers.get(name) ?? nobody;
      tiers.delete(name);
      decide(tier);
      return right.removeTier(name, () => ({ removedAt: 0, ...noEffects }));
    },
  ),
  'a removal of a missing tier is refused before the decision': removeTier.hushing(),
  'an added override is returned with its id and listed as it was given': overrides.returning((overrides) =>
    overrides.map((override) => ({ ...override, updatedAt: override.createdAt })),
  ),
  'overrides are listed by id': overrides.returning((overrides) =>
    [...overrides].sort((a, b) => String(a.id).localeCompare(String(b.id))),
  ),
  'active overrides can be listed alone': overrides.asking(() => [false]),
  'overrides are listed with their clients, page by page, all or the active ones, and counted': clientOverrides.asking(
    ([page]) => [{ ...page, activeOnly: false }],
  ),
  'the id of an override is never reused': addOverride.preceded((database) => {
    database.lastOverrideId = Math.max(0, ...database.overrides.keys());
  }),
  "an addition of an override sees the client's other overrides by id, and no other client's": addOverride.instead(
    async ([client, decide], right) => {
      const all = await right.overrides(false);
      return right.addOverride(client, () => decide(all));
    },
  ),
  'an addition of an override for a missing client is refused before the decision': addOverride.preceded(
    ({ profiles }, [client, decide]) => profiles.has(client) || decide([]),
  ),
  'an addition of an override rethrows what its decision throws, and adds nothing': addOverride.leaking(),
  'an addition of an override writes its effects': addOverride.withoutEffects(),
  "a new active override deactivates the client's others, and no other client's": addOverride.leaving(
    after((database, override, before) =>
      setActive(database, override.isActive ? before.map(({ id }) => id) : [], false),
    ),
  ),
  "a new inactive override leaves the client's active one": addOverride.leaving(
    after((database, override, before) =>
      setActive(database, override.isActive ? [] : before.map(({ id }) => id), false),
    ),
  ),
  'an override that is deactivated for another is changed at that time': addOverride.leaving(({ overrides }) => {
    const before = new Map(overrides);
    return () => {
      for (const [id, { override }] of overrides) {
        const { updatedAt } = before.get(id)?.override ?? override;
        changing(overrides, id, { override: { ...override, updatedAt } });
      }
    };
  }),
  'of concurrently added active overrides, one is active in the end': addOverride.instead(
    async ([client, decide], right, database) => {
      const { override } = decide([...database.overrides.values()].map((owned) => owned.override));
      await pause();
      return right.addOverride(client, () => ({ ...noEffects, override }));
    },
  ),
  'an update of an override decides on the current one, stores the change and returns it': updateOverride.deciding(
    (change, [current]) => ({
      ...change,
      override: { ...change.override, windowSeconds: current.windowSeconds },
    }),
  ),
  'an update of an override writes its effects': updateOverride.withoutEffects(),
  "an override that becomes active deactivates the client's others, and no other client's": updateOverride.leaving(
    after((database, _override, before) => setActive(database, activeIds(before), true)),
  ),
  "an update of an override sees the client's other overrides by id, and no other client's": updateOverride.instead(
    async ([id, decide], right) => {
      const all = await right.overrides(false);
      return right.updateOverride(id, (current, client) => decide(current, client, all));
    },
  ),
  'an update of an override rethrows what its decision throws, and changes nothing': updateOverride.leaking(),
  'an update of a missing override is refused before the decision': updateOverride.hushing(),
  'a removal of an override decides on the current one, removes only that one and writes its effects':
    removeOverride.withoutEffects(),
  'an update and a removal of an override see its client': removeOverride.instead(
    async ([id, decide], right, _database, { profiles }) => {
      const [, other] = await profiles.list();
      await right.removeOverride(id, (override, client) => decide(override, other ?? client));
    },
  ),
  'a removal of an override rethrows what its decision throws, and keeps the override': removeOverride.preceded(
    (database, [id]) => setActive(database, [id], false),
  ),
  'a removal of a missing override is refused before the decision': removeOverride.hushing(),
});
