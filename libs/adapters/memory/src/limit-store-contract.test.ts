import { limitStoreContract, noEffects } from '@portico/contracts';
import type { Override, Tier } from '@portico/domain';
import { breachesOf, updateEntry, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { frozenCopy, type MemoryDatabase } from './memory-database.ts';

const { addTier, removeTier, tiers, updateTier } = breachesOf('limits');
const { addOverride, clientOverrides, overrides, removeOverride, updateOverride } = breachesOf('limits');

/** Runs `act` after an override changes, and passes it the previous overrides. */
const runWithPreviousOverrides =
  (act: (database: MemoryDatabase, override: Override, before: readonly Override[]) => void) =>
  (database: MemoryDatabase) => {
    const before = [...database.overrides.values()].map(({ override }) => override);
    return (override: Override) => act(database, override, before);
  };

const setActive = ({ overrides }: MemoryDatabase, ids: readonly number[], isActive: boolean): void => {
  for (const [id, { override }] of overrides)
    if (ids.includes(id)) updateEntry(overrides, id, { override: frozenCopy({ ...override, isActive }) });
};

const activeIds = (overrides: readonly Override[]): number[] =>
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
  'an added tier is listed unchanged': tiers.mapResult((tiers) =>
    tiers.map((tier) => ({ ...tier, description: tier.description ?? '' })),
  ),
  'tiers are listed by name in code-point order': tiers.mapResult((tiers) =>
    [...tiers].sort((a, b) => a.tier.localeCompare(b.tier, 'en')),
  ),
  'an addition of a tier writes its effects': addTier.withoutEffects(),
  'a tier that exists is rejected, and nothing is written': addTier.writeEntryOnFailure(),
  'of concurrent additions of one tier, exactly one succeeds': addTier.replaceWith(
    async ([tier, effects], original, { tiers }) => {
      if (tiers.has(tier.tier)) return original.addTier(tier, effects);
      await pause();
      tiers.set(tier.tier, tier);
    },
  ),
  'an update of a tier decides on the current one, stores the change and returns it': updateTier.mapDecision(
    (change, [current]) => ({
      ...change,
      tier: { ...change.tier, description: change.tier.description ?? current.description },
    }),
  ),
  'an update of a tier writes its effects': updateTier.withoutEffects(),
  'the name of a tier cannot change': updateTier.replaceWith(async ([name, decide], original, { tiers }) => {
    const before = tiers.get(name);
    const { tier } = before ? decide(before) : { tier: unusedTier };
    tiers.delete(name);
    tiers.set(tier.tier, tier);
    return original.updateTier(tier.tier, () => ({ tier, ...noEffects }));
  }),
  'an update of a tier rethrows an error from the decision and changes nothing': updateTier.writeEntryOnFailure(),
  'an update of a missing tier throws before the decision': updateTier.replaceWith(
    async ([name, decide], original, { tiers }) =>
      tiers.has(name) ? original.updateTier(name, decide) : decide(unusedTier).tier,
  ),
  'concurrent updates of one tier each see the previous one': updateTier.applyStaleDecision(),
  'a removal of a tier decides on the current one, removes only that tier and writes its effects':
    removeTier.withoutEffects(),
  'removing a tier removes it from every profile that has it, as an update of that profile, and from no other':
    removeTier.restoreAfter(({ profiles }) => {
      const before = [...profiles.values()];
      return () => before.forEach(({ id, updatedAt }) => updateEntry(profiles, id, { updatedAt }));
    }),
  'a new tier with the name of a removed one starts without clients': removeTier.restoreAfter(({ profiles }) =>
    saveEntries(profiles),
  ),
  'a removal of a tier rethrows an error from the decision and keeps the tier': removeTier.replaceWith(
    async ([name, decide], original, { tiers }) => {
      const tier = tiers.get(name) ?? unusedTier;
      tiers.delete(name);
      decide(tier);
      return original.removeTier(name, () => ({ removedAt: 0, ...noEffects }));
    },
  ),
  'a removal of a missing tier throws before the decision': removeTier.ignoreErrors(),
  'an added override is returned with its id and listed unchanged': overrides.mapResult((overrides) =>
    overrides.map((override) => ({ ...override, updatedAt: override.createdAt })),
  ),
  'overrides are listed by id': overrides.mapResult((overrides) =>
    [...overrides].sort((a, b) => String(a.id).localeCompare(String(b.id))),
  ),
  'the list can be limited to active overrides': overrides.mapArguments(() => [false]),
  'overrides are listed with their clients, page by page, all or the active ones, and counted':
    clientOverrides.mapArguments(([page]) => [{ ...page, activeOnly: false }]),
  'the id of an override is never reused': addOverride.runBefore((database) => {
    database.lastOverrideId = Math.max(0, ...database.overrides.keys());
  }),
  "an addition of an override sees the client's other overrides by id, and no other client's": addOverride.replaceWith(
    async ([client, decide], original) => {
      const all = await original.overrides(false);
      return original.addOverride(client, () => decide(all));
    },
  ),
  'an addition of an override for a missing client throws before the decision': addOverride.runBefore(
    ({ profiles }, [client, decide]) => profiles.has(client) || decide([]),
  ),
  'an addition of an override rethrows an error from the decision and adds nothing': addOverride.writeEntryOnFailure(),
  'an addition of an override writes its effects': addOverride.withoutEffects(),
  "a new active override deactivates the client's others, and no other client's": addOverride.restoreAfter(
    runWithPreviousOverrides((database, override, before) =>
      setActive(database, override.isActive ? before.map(({ id }) => id) : [], false),
    ),
  ),
  "a new inactive override does not deactivate the client's active one": addOverride.restoreAfter(
    runWithPreviousOverrides((database, override, before) =>
      setActive(database, override.isActive ? [] : before.map(({ id }) => id), false),
    ),
  ),
  'an override that is deactivated for another has the time of that change': addOverride.restoreAfter(
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
  'of concurrently added active overrides, one remains active': addOverride.replaceWith(
    async ([client, decide], original, database) => {
      const { override } = decide([...database.overrides.values()].map((owned) => owned.override));
      await pause();
      return original.addOverride(client, () => ({ ...noEffects, override }));
    },
  ),
  'an update of an override decides on the current one, stores the change and returns it': updateOverride.mapDecision(
    (change, [current]) => ({
      ...change,
      override: { ...change.override, windowSeconds: current.windowSeconds },
    }),
  ),
  'an update of an override writes its effects': updateOverride.withoutEffects(),
  "an override that becomes active deactivates the client's others, and no other client's": updateOverride.restoreAfter(
    runWithPreviousOverrides((database, _override, before) => setActive(database, activeIds(before), true)),
  ),
  "an update of an override sees the client's other overrides by id, and no other client's": updateOverride.replaceWith(
    async ([id, decide], original) => {
      const all = await original.overrides(false);
      return original.updateOverride(id, (current, client) => decide(current, client, all));
    },
  ),
  'an update of an override rethrows an error from the decision and changes nothing':
    updateOverride.writeEntryOnFailure(),
  'an update of a missing override throws before the decision': updateOverride.ignoreErrors(),
  'a removal of an override decides on the current one, removes only that one and writes its effects':
    removeOverride.withoutEffects(),
  'an update and a removal of an override see its client': removeOverride.replaceWith(
    async ([id, decide], original, _database, { profiles }) => {
      const [, other] = await profiles.list();
      await original.removeOverride(id, (override, client) => decide(override, other ?? client));
    },
  ),
  'a removal of an override rethrows an error from the decision and keeps the override': removeOverride.runBefore(
    (database, [id]) => setActive(database, [id], false),
  ),
  'a removal of a missing override throws before the decision': removeOverride.ignoreErrors(),
});
