import { nextChangeAt, PorticoError } from '@portico/domain';
import type { CallerRow, LimitedClient, LimitStore, Override, Profile, ProfileId, Tier } from '@portico/domain';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase, type OwnedOverride } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';

export const createMemoryLimitStore = (database: MemoryDatabase): LimitStore => {
  const { profiles, tiers, overrides } = database;

  return {
    async listTiers() {
      return [...tiers.values()].sort((a, b) => compareCodePoints(a.tier, b.tier));
    },

    async addTier(tier, effects) {
      if (tiers.has(tier.tier)) throw new PorticoError('tier_taken');
      commit(database, effects, () => tiers.set(tier.tier, copyFrozen(tier)));
    },

    async updateTier(name, decide) {
      const change = decide(requireTier(database, name));
      const tier = copyFrozen({ ...change.tier, tier: name });
      commit(database, change, () => tiers.set(name, tier));
      return tier;
    },

    async removeTier(name, decide) {
      const change = decide(requireTier(database, name));
      commit(database, change, () => {
        tiers.delete(name);
        for (const profile of profiles.values()) {
          if (profile.tier !== name) continue;
          const updatedAt = nextChangeAt(profile.updatedAt, change.removedAt);
          profiles.set(profile.id, copyFrozen({ ...profile, tier: null, updatedAt }));
        }
        for (const group of database.groups.values()) {
          if (group.tier !== name) continue;
          const updatedAt = nextChangeAt(group.updatedAt, change.removedAt);
          database.groups.set(group.id, copyFrozen({ ...group, tier: null, updatedAt }));
        }
      });
    },

    ...overrideListsOf(database),

    listClients: async () => clientsOf(database),

    async listOverrides(activeOnly) {
      // Ids increase, and maps are iterated in insertion order.
      return [...overrides.values()].map(({ override }) => override).filter((o) => o.isActive || !activeOnly);
    },

    ...overrideChangesOf(database),
  };
};

type OverrideChange = 'addOverride' | 'updateOverride' | 'removeOverride';

const overrideChangesOf = (database: MemoryDatabase): Pick<LimitStore, OverrideChange> => {
  const { profiles, overrides } = database;
  return {
    async addOverride(client, decide) {
      if (!profiles.has(client)) throw new PorticoError('client_not_found');
      const change = decide(listOtherOverrides(database, client, null));
      const override = copyFrozen({ ...change.override, id: database.lastOverrideId + 1 });
      commit(database, change, () => {
        database.lastOverrideId = override.id;
        storeOverrides(database, client, [override, ...(change.otherOverrides ?? [])]);
      });
      return override;
    },

    async updateOverride(id, decide) {
      const { profile, override: current, client } = requireOverride(database, id);
      const change = decide(current, client, listOtherOverrides(database, profile, id));
      const override = copyFrozen({ ...change.override, id });
      commit(database, change, () => storeOverrides(database, profile, [override, ...(change.otherOverrides ?? [])]));
      return override;
    },

    async removeOverride(id, decide) {
      const { override, client } = requireOverride(database, id);
      const effects = decide(override, client);
      commit(database, effects, () => overrides.delete(id));
    },
  };
};

const clientsOf = (database: MemoryDatabase): readonly LimitedClient[] =>
  [...database.profiles.values()]
    .filter(({ role }) => role !== 'admin')
    .map((profile) => {
      const { id, email, fullName, clientId } = profile;
      return { id, email, fullName, clientId, limits: limitsOf(database, profile) };
    })
    .sort((a, b) => compareCodePoints(a.email, b.email));

/** Returns the profile's active override, its active tier, and the most generous active tier of its groups. */
export const limitsOf = (database: MemoryDatabase, profile: Profile): CallerRow['limits'] => {
  const override = [...database.overrides.values()].find(
    (o) => o.profile === profile.id && o.override.isActive,
  )?.override;
  const groupTiers = groupsOf(database, profile.id)
    .flatMap(({ tier }) => findActiveTier(database, tier) ?? [])
    .sort((a, b) => b.allowed / b.windowSeconds - a.allowed / a.windowSeconds || compareCodePoints(a.tier, b.tier));
  return {
    override: override ? { id: override.id, allowed: override.allowed, windowSeconds: override.windowSeconds } : null,
    tier: findActiveTier(database, profile.tier),
    groupTier: groupTiers[0] ?? null,
  };
};

const findActiveTier = ({ tiers }: MemoryDatabase, name: string | null): CallerRow['limits']['tier'] => {
  const tier = name === null ? undefined : tiers.get(name);
  return tier?.isActive ? { tier: tier.tier, allowed: tier.allowed, windowSeconds: tier.windowSeconds } : null;
};

const requireTier = (database: MemoryDatabase, name: string): Tier => {
  const tier = database.tiers.get(name);
  if (!tier) throw new PorticoError('tier_not_found');
  return tier;
};

const requireOverride = (
  { overrides, profiles }: MemoryDatabase,
  id: number,
): OwnedOverride & { readonly client: Profile } => {
  const ownedOverride = overrides.get(id);
  const client = ownedOverride && profiles.get(ownedOverride.profile);
  if (!client) throw new PorticoError('override_not_found');
  return { ...ownedOverride, client };
};

/** Returns the client's overrides, except for the one with that id, ordered by id. */
const listOtherOverrides = ({ overrides }: MemoryDatabase, client: ProfileId, id: number | null): readonly Override[] =>
  [...overrides.values()]
    .filter(({ profile, override }) => profile === client && override.id !== id)
    .map(({ override }) => override);

const storeOverrides = (database: MemoryDatabase, profile: ProfileId, overrides: readonly Override[]): void => {
  for (const override of overrides) database.overrides.set(override.id, { profile, override: copyFrozen(override) });
};

const overrideListsOf = ({
  overrides,
  profiles,
}: MemoryDatabase): Pick<LimitStore, 'listClientOverrides' | 'countOverrides'> => ({
  async listClientOverrides({ activeOnly, limit, after }) {
    const matches = [...overrides.values()].filter(
      ({ override }) => (override.isActive || !activeOnly) && override.id > (after ?? 0),
    );
    return matches.slice(0, limit ?? matches.length).flatMap(({ override, profile }) => {
      const client = profiles.get(profile);
      return client ? [{ override, client: { id: client.id, email: client.email, fullName: client.fullName } }] : [];
    });
  },

  async countOverrides(activeOnly) {
    return [...overrides.values()].filter(({ override }) => override.isActive || !activeOnly).length;
  },
});
