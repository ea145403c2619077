import { limitStoreContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import type { LimitStore, Override, Tier } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, hushed, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { kept, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Changed lists of tiers or overrides. */
const listing = (alter: (tiers: readonly Tier[]) => readonly Tier[]) =>
  breaking('limits', (right) => ({ tiers: async () => alter(await right.tiers()) }));

const listingOverrides = (alter: (overrides: readonly Override[], activeOnly: boolean) => readonly Override[]) =>
  breaking('limits', (right) => ({
    overrides: async (activeOnly) => alter(await right.overrides(activeOnly), activeOnly),
  }));

/** A side effect after an addition or an update of an override. */
const after = (
  method: 'addOverride' | 'updateOverride',
  happens: (database: MemoryDatabase, override: Override, before: readonly Override[]) => void,
) =>
  breaking('limits', (right, _stores, database): Partial<LimitStore> => {
    const list = () => [...database.overrides.values()].map(({ override }) => override);
    const done = (override: Override, before: readonly Override[]): Override => {
      happens(database, override, before);
      return override;
    };
    if (method === 'addOverride') {
      return {
        addOverride: async (client, decide) => {
          const before = list();
          return done(await right.addOverride(client, decide), before);
        },
      };
    }
    return {
      updateOverride: async (id, decide) => {
        const before = list();
        return done(await right.updateOverride(id, decide), before);
      },
    };
  });

const setActive = ({ overrides }: MemoryDatabase, ids: readonly number[], isActive: boolean): void => {
  for (const id of ids) {
    const owned = overrides.get(id);
    if (owned) overrides.set(id, { ...owned, override: kept({ ...owned.override, isActive }) });
  }
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

const sabotages: Sabotages<typeof limitStoreContract, Stores> = {
  'an added tier is listed as it was given': listing((tiers) =>
    tiers.map((tier) => ({ ...tier, description: tier.description ?? '' })),
  ),
  'tiers are listed by name in code-point order': listing((tiers) =>
    [...tiers].sort((a, b) => a.tier.localeCompare(b.tier, 'en')),
  ),
  'an addition of a tier writes its effects': breaking('limits', (right) => ({
    addTier: (tier) => right.addTier(tier, noEffects),
  })),
  'a tier that exists is refused, and nothing is written': breaking('limits', (right, stores) => ({
    addTier: (tier, effects) => leaking(stores, right.addTier(tier, effects)),
  })),
  'of concurrent additions of one tier, exactly one succeeds': breaking('limits', (right, _stores, { tiers }) => ({
    addTier: async (tier, effects) => {
      if (tiers.has(tier.tier)) return right.addTier(tier, effects);
      await pause();
      tiers.set(tier.tier, tier);
    },
  })),
  'an update of a tier decides on the current one, stores the change and returns it': breaking('limits', (right) => ({
    updateTier: (name, decide) =>
      right.updateTier(name, (current) => {
        const change = decide(current);
        return { ...change, tier: { ...change.tier, description: change.tier.description ?? current.description } };
      }),
  })),
  'an update of a tier writes its effects': breaking('limits', (right) => ({
    updateTier: (name, decide) => right.updateTier(name, silently(decide)),
  })),
  'the name of a tier cannot change': breaking('limits', (right, _stores, { tiers }) => ({
    updateTier: async (name, decide) => {
      const before = tiers.get(name);
      const { tier } = before ? decide(before) : { tier: nobody };
      tiers.delete(name);
      tiers.set(tier.tier, tier);
      return right.updateTier(tier.tier, () => ({ tier, ...noEffects }));
    },
  })),
  'an update of a tier rethrows what its decision throws, and changes nothing': breaking('limits', (right, stores) => ({
    updateTier: (name, decide) => leaking(stores, right.updateTier(name, decide)),
  })),
  'an update of a missing tier is refused before the decision': breaking('limits', (right, _stores, { tiers }) => ({
    updateTier: async (name, decide) => (tiers.has(name) ? right.updateTier(name, decide) : decide(nobody).tier),
  })),
  'concurrent updates of one tier each see the one before': breaking('limits', (right, _stores, { tiers }) => ({
    updateTier: async (name, decide) => {
      const change = decide(tiers.get(name) ?? nobody);
      await pause();
      return right.updateTier(name, () => change);
    },
  })),
  'a removal of a tier decides on the current one, removes only that tier and writes its effects': breaking(
    'limits',
    (right) => ({ removeTier: (name, decide) => right.removeTier(name, silently(decide)) }),
  ),
  'a removal of a tier takes it from every profile that has it, as a change of that profile, and from no other':
    breaking('limits', (right, _stores, { profiles }) => ({
      removeTier: async (name, decide) => {
        const before = [...profiles.values()];
        await right.removeTier(name, decide);
        for (const { id, updatedAt } of before) {
          const profile = profiles.get(id);
          if (profile) profiles.set(id, kept({ ...profile, updatedAt }));
        }
      },
    })),
  'a new tier with the name of a removed one starts without clients': breaking(
    'limits',
    (right, _stores, { profiles }) => ({
      removeTier: async (name, decide) => {
        const before = [...profiles.values()];
        await right.removeTier(name, decide);
        for (const profile of before) profiles.set(profile.id, profile);
      },
    }),
  ),
  'a removal of a tier rethrows what its decision throws, and keeps the tier': breaking(
    'limits',
    (right, _stores, { tiers }) => ({
      removeTier: async (name, decide) => {
        const tier = tiers.get(name) ?? nobody;
        tiers.delete(name);
        decide(tier);
        return right.removeTier(name, () => ({ removedAt: 0, ...noEffects }));
      },
    }),
  ),
  'a removal of a missing tier is refused before the decision': breaking('limits', (right) => ({
    removeTier: (name, decide) => hushed(right.removeTier(name, decide), undefined),
  })),
  'an added override is returned with its id and listed as it was given': listingOverrides((overrides) =>
    overrides.map((override) => ({ ...override, updatedAt: override.createdAt })),
  ),
  'overrides are listed by id': listingOverrides((overrides) =>
    [...overrides].sort((a, b) => String(a.id).localeCompare(String(b.id))),
  ),
  'active overrides can be listed alone': breaking('limits', (right) => ({
    overrides: () => right.overrides(false),
  })),
  'overrides are listed with their clients, page by page, all or the active ones, and counted': breaking(
    'limits',
    (right) => ({ clientOverrides: (page) => right.clientOverrides({ ...page, activeOnly: false }) }),
  ),
  'the id of an override is never reused': breaking('limits', (right, _stores, database) => ({
    addOverride: (client, decide) => {
      database.lastOverrideId = Math.max(0, ...database.overrides.keys());
      return right.addOverride(client, decide);
    },
  })),
  "an addition of an override sees the client's other overrides by id, and no other client's": breaking(
    'limits',
    (right) => ({
      addOverride: async (client, decide) => {
        const all = await right.overrides(false);
        return right.addOverride(client, () => decide(all));
      },
    }),
  ),
  'an addition of an override for a missing client is refused before the decision': breaking(
    'limits',
    (right, _stores, { profiles }) => ({
      addOverride: async (client, decide) => {
        if (!profiles.has(client)) decide([]);
        return right.addOverride(client, decide);
      },
    }),
  ),
  'an addition of an override rethrows what its decision throws, and adds nothing': breaking(
    'limits',
    (right, stores) => ({ addOverride: (client, decide) => leaking(stores, right.addOverride(client, decide)) }),
  ),
  'an addition of an override writes its effects': breaking('limits', (right) => ({
    addOverride: (client, decide) => right.addOverride(client, silently(decide)),
  })),
  "a new active override deactivates the client's others, and no other client's": after(
    'addOverride',
    (database, override, before) => setActive(database, override.isActive ? before.map(({ id }) => id) : [], false),
  ),
  "a new inactive override leaves the client's active one": after('addOverride', (database, override, before) =>
    setActive(database, override.isActive ? [] : before.map(({ id }) => id), false),
  ),
  'an override that is deactivated for another is changed at that time': after(
    'addOverride',
    ({ overrides }, _override, before) => {
      for (const { id, updatedAt } of before) {
        const owned = overrides.get(id);
        if (owned) overrides.set(id, { ...owned, override: { ...owned.override, updatedAt } });
      }
    },
  ),
  'of concurrently added active overrides, one is active in the end': breaking(
    'limits',
    (right, _stores, database) => ({
      addOverride: async (client, decide) => {
        const { override } = decide([...database.overrides.values()].map((owned) => owned.override));
        await pause();
        return right.addOverride(client, () => ({ ...noEffects, override }));
      },
    }),
  ),
  'an update of an override decides on the current one, stores the change and returns it': breaking(
    'limits',
    (right) => ({
      updateOverride: (id, decide) =>
        right.updateOverride(id, (current, ...rest) => {
          const change = decide(current, ...rest);
          return { ...change, override: { ...change.override, windowSeconds: current.windowSeconds } };
        }),
    }),
  ),
  'an update of an override writes its effects': breaking('limits', (right) => ({
    updateOverride: (id, decide) => right.updateOverride(id, silently(decide)),
  })),
  "an override that becomes active deactivates the client's others, and no other client's": after(
    'updateOverride',
    (database, _override, before) => setActive(database, activeIds(before), true),
  ),
  "an update of an override sees the client's other overrides by id, and no other client's": breaking(
    'limits',
    (right) => ({
      updateOverride: async (id, decide) => {
        const all = await right.overrides(false);
        return right.updateOverride(id, (current, client) => decide(current, client, all));
      },
    }),
  ),
  'an update of an override rethrows what its decision throws, and changes nothing': breaking(
    'limits',
    (right, stores) => ({ updateOverride: (id, decide) => leaking(stores, right.updateOverride(id, decide)) }),
  ),
  'an update of a missing override is refused before the decision': breaking('limits', (right) => ({
    updateOverride: (id, decide) => hushed(right.updateOverride(id, decide), { ...nobody, id, clientId: '' as never }),
  })),
  'a removal of an override decides on the current one, removes only that one and writes its effects': breaking(
    'limits',
    (right) => ({ removeOverride: (id, decide) => right.removeOverride(id, silently(decide)) }),
  ),
  'an update and a removal of an override see its client': breaking('limits', (right, { profiles }) => ({
    removeOverride: async (id, decide) => {
      const [, other] = await profiles.list();
      await right.removeOverride(id, (override, client) => decide(override, other ?? client));
    },
  })),
  'a removal of an override rethrows what its decision throws, and keeps the override': breaking(
    'limits',
    (right, _stores, database) => ({
      removeOverride: (id, decide) => {
        setActive(database, [id], false);
        return right.removeOverride(id, decide);
      },
    }),
  ),
  'a removal of a missing override is refused before the decision': breaking('limits', (right) => ({
    removeOverride: (id, decide) => hushed(right.removeOverride(id, decide), undefined),
  })),
};

describe('the memory limit store', () => {
  proveContract(limitStoreContract, sabotages, createMemoryStores);
});
