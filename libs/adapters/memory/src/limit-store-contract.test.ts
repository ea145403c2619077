import { limitStoreContract, noEffects } from '@portico/contracts';
import type { Override, Tier } from '@portico/domain';
import { breachesOf, updateEntry, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { copyFrozen, type MemoryDatabase } from './memory-database.ts';

const { addTier, removeTier, listTiers, updateTier } = breachesOf('limits');
const { addOverride, listClientOverrides, listOverrides, removeOverride, updateOverride } = breachesOf('limits');

/** Runs `sideEffect` after an override changes, and passes it the previous overrides. */
const runWithPreviousOverrides =
  (sideEffect: (database: MemoryDatabase, override: Override, before: readonly Override[]) => void) =>
  (database: MemoryDatabase) => {
    const before = [...database.overrides.values()].map(({ override }) => override);
    return (override: Override) => sideEffect(database, override, before);
  };

const setActive = ({ overrides }: MemoryDatabase, ids: readonly number[], isActive: boolean): void => {
  for (const [id, { override }] of overrides)
    if (ids.includes(id)) updateEntry(overrides, id, { override: copyFrozen({ ...override, isActive }) });
};

const listActiveIds = (overrides: readonly Override[]): number[] =>
  overrides.filter(({ isActive }) => isActive).map(({ id }) => id);

const unusedTier: Tier = {
  tier: 'none',
  description: null,
  isActive: false,
  allowed: 1,
  windowSeconds: 1,
  createdAt: 0,
  updatedAt: 0,
};

proveStores('the memory limit store', limitStoreContract, {
  'a tier is listed exactly as it was added': listTiers.mapResult((tiers) =>
    tiers.map((tier) => ({ ...tier, description: tier.description ?? '' })),
  ),
  'tiers are listed by name in code-point order': listTiers.mapResult((tiers) =>
    [...tiers].sort((a, b) => a.tier.localeCompare(b.tier, 'en')),
  ),
  'adding a tier writes its effects': addTier.dropEffects(),
  'adding a tier that exists is rejected, and nothing is written': addTier.writeEntryOnFailure(),
  'when the same tier is added concurrently, only one call succeeds': addTier.replaceWith(
    async ([tier, effects], original, { tiers }) => {
      if (tiers.has(tier.tier)) return original.addTier(tier, effects);
      await pause();
      tiers.set(tier.tier, tier);
    },
  ),
  'updating a tier bases its decision on the current tier, stores the change and returns it': updateTier.mapDecision(
    (change, [current]) => ({
      ...change,
      tier: { ...change.tier, description: change.tier.description ?? current.description },
    }),
  ),
  'updating a tier writes its effects': updateTier.dropEffects(),
  'the name of a tier cannot change': updateTier.replaceWith(async ([name, decide], original, { tiers }) => {
    const tierBefore = tiers.get(name);
    const { tier } = tierBefore ? decide(tierBefore) : { tier: unusedTier };
    tiers.delete(name);
    tiers.set(tier.tier, tier);
    return original.updateTier(tier.tier, () => ({ tier, ...noEffects }));
  }),
  'updating a tier rethrows an error from the decision and changes nothing': updateTier.writeEntryOnFailure(),
  'updating a missing tier throws before the decision is called': updateTier.replaceWith(
    async ([name, decide], original, { tiers }) =>
      tiers.has(name) ? original.updateTier(name, decide) : decide(unusedTier).tier,
  ),
  'concurrent updates of the same tier each see the previous update': updateTier.applyStaleDecision(),
  'removing a tier bases its decision on the current tier, removes only that tier and writes its effects':
    removeTier.dropEffects(),
  'removing a tier removes it from every profile that has it, and updates only those profiles': removeTier.restoreAfter(
    ({ profiles }) => {
      const profilesBefore = [...profiles.values()];
      return () => profilesBefore.forEach(({ id, updatedAt }) => updateEntry(profiles, id, { updatedAt }));
    },
  ),
  'a new tier with the name of a removed one has no clients': removeTier.restoreAfter(({ profiles }) =>
    saveEntries(profiles),
  ),
  'removing a tier rethrows an error from the decision and keeps the tier': removeTier.replaceWith(
    async ([name, decide], original, { tiers }) => {
      const tier = tiers.get(name) ?? unusedTier;
      tiers.delete(name);
      decide(tier);
      return original.removeTier(name, () => ({ removedAt: 0, ...noEffects }));
    },
  ),
  'removing a missing tier throws before the decision is called': removeTier.ignoreErrors(),
  'an added override is returned with its id, and listed exactly as it was added': listOverrides.mapResult(
    (overrides) => overrides.map((override) => ({ ...override, updatedAt: override.createdAt })),
  ),
  'overrides are listed by id': listOverrides.mapResult((overrides) =>
    [...overrides].sort((a, b) => String(a.id).localeCompare(String(b.id))),
  ),
  'the list can be limited to active overrides': listOverrides.mapArguments(() => [false]),
  'all overrides or only the active ones are listed with their clients, page by page, and counted':
    listClientOverrides.mapArguments(([page]) => [{ ...page, activeOnly: false }]),
  'the id of an override is never reused': addOverride.runBefore((database) => {
    database.lastOverrideId = Math.max(0, ...database.overrides.keys());
  }),
  'the decision about a new override sees only the other overrides of the same client, ordered by id':
    addOverride.replaceWith(async ([client, decide], original) => {
      const allOverrides = await original.listOverrides(false);
      return original.addOverride(client, () => decide(allOverrides));
    }),
  'adding an override for a missing client throws before the decision is called': addOverride.runBefore(
    ({ profiles }, [client, decide]) => profiles.has(client) || decide([]),
  ),
  'adding an override rethrows an error from the decision and adds nothing': addOverride.writeEntryOnFailure(),
  'adding an override writes its effects': addOverride.dropEffects(),
  'a new active override deactivates only the other overrides of the same client': addOverride.restoreAfter(
    runWithPreviousOverrides((database, override, before) =>
      setActive(database, override.isActive ? before.map(({ id }) => id) : [], false),
    ),
  ),
  "a new inactive override does not deactivate the client's active one": addOverride.restoreAfter(
    runWithPreviousOverrides((database, override, before) =>
      setActive(database, override.isActive ? [] : before.map(({ id }) => id), false),
    ),
  ),
  'an override that is deactivated by a new one has the time of that change': addOverride.restoreAfter(
    ({ overrides }) => {
      const before = new Map(overrides);
      return () => {
        for (const [id, { override }] of overrides) {
          const { updatedAt } = before.get(id)?.override ?? override;
          updateEntry(overrides, id, { override: { ...override, updatedAt } });
        }
      };
    },
  ),
  'when active overrides are added concurrently, only one remains active': addOverride.replaceWith(
    async ([client, decide], original, database) => {
      const { override } = decide([...database.overrides.values()].map((ownedOverride) => ownedOverride.override));
      await pause();
      return original.addOverride(client, () => ({ ...noEffects, override }));
    },
  ),
  'updating an override bases its decision on the current override, stores the change and returns it':
    updateOverride.mapDecision((change, [current]) => ({
      ...change,
      override: { ...change.override, windowSeconds: current.windowSeconds },
    })),
  'updating an override writes its effects': updateOverride.dropEffects(),
  'an override that becomes active deactivates only the other overrides of the same client':
    updateOverride.restoreAfter(
      runWithPreviousOverrides((database, _override, before) => setActive(database, listActiveIds(before), true)),
    ),
  'the decision about updating an override sees only the other overrides of the same client, ordered by id':
    updateOverride.replaceWith(async ([id, decide], original) => {
      const allOverrides = await original.listOverrides(false);
      return original.updateOverride(id, (current, client) => decide(current, client, allOverrides));
    }),
  'updating an override rethrows an error from the decision and changes nothing': updateOverride.writeEntryOnFailure(),
  'updating a missing override throws before the decision is called': updateOverride.ignoreErrors(),
  'removing an override bases its decision on the current override, removes only that override and writes its effects':
    removeOverride.dropEffects(),
  'the decisions about updating and removing an override see its client': removeOverride.replaceWith(
    async ([id, decide], original, _database, { profiles }) => {
      const [, otherProfile] = await profiles.list();
      await original.removeOverride(id, (override, client) => decide(override, otherProfile ?? client));
    },
  ),
  'removing an override rethrows an error from the decision and keeps the override': removeOverride.runBefore(
    (database, [id]) => setActive(database, [id], false),
  ),
  'removing a missing override throws before the decision is called': removeOverride.ignoreErrors(),
});
