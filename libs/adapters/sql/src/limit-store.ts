import { nextChangeAt, PorticoError } from '@portico/domain';
import type { LimitStore, NewOverride, Override, Profile, ProfileId, Tier } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { grown } from './epochs.ts';
import { OverrideEntity, ProfileEntity, TierEntity } from './entities.ts';
import type { OverrideRow, TierRow } from './entities.ts';
import { findProfile } from './profile-store.ts';
import { columns } from './sql.ts';
import type { Database, Sql, Transaction } from './sql.ts';

export const createSqlLimitStore = (database: Database): LimitStore => ({
  async tiers() {
    return (await database.reads.all<TierRow>(selectTiers)).map(tierOf);
  },

  async addTier(tier, effects) {
    try {
      await database.transact(async (transaction) => {
        await transaction.em.insert(TierEntity, { ...tier });
        await writeEffects(transaction, effects);
      }, effects.deadline);
    } catch (cause) {
      if (database.violatedKey(cause) === 'tiers.tier') throw new PorticoError('tier_taken', { cause });
      throw cause;
    }
  },

  async updateTier(name, decide) {
    return database.transact(async (transaction) => {
      const row = await loadTier(transaction, name);
      const change = decide(tierOf(row));
      const tier = { ...change.tier, tier: name };
      Object.assign(row, tier);
      await writeEffects(transaction, change);
      return tier;
    });
  },

  async removeTier(name, decide) {
    await database.transact(async (transaction) => {
      const change = decide(tierOf(await loadTier(transaction, name)));
      await transaction.em.nativeDelete(TierEntity, { tier: name });
      await transaction.run(takeFromProfiles, [change.removedAt, change.removedAt, name]);
      await writeEffects(transaction, change);
    });
  },

  async overrides(activeOnly) {
    return (await database.reads.all<OverrideRow>(activeOnly ? selectActive : selectOverrides)).map(overrideOf);
  },

  async addOverride(profile, override, effects) {
    return database.transact(async (transaction) => {
      const { em } = transaction;
      if ((await em.count(ProfileEntity, { id: profile })) === 0) throw new PorticoError('client_not_found');
      await makeOthersInactive(transaction, profile, override);
      const id = await em.insert(OverrideEntity, { ...override, profile });
      await writeEffects(transaction, effects);
      return { ...override, id };
    }, effects.deadline);
  },

  async updateOverride(id, decide) {
    return database.transact(async (transaction) => {
      const row = await loadOverride(transaction, id);
      const change = decide(overrideOf(row), await ownerOf(transaction, row));
      const override = { ...change.override, id };
      await makeOthersInactive(transaction, row.profile, override);
      Object.assign(row, override);
      await writeEffects(transaction, change);
      return override;
    });
  },

  async removeOverride(id, decide) {
    await database.transact(async (transaction) => {
      const row = await loadOverride(transaction, id);
      const effects = decide(overrideOf(row), await ownerOf(transaction, row));
      await transaction.em.nativeDelete(OverrideEntity, { id });
      await writeEffects(transaction, effects);
    });
  },
});

const tierColumns = ['tier', 'description', 'isActive', 'allowed', 'windowSeconds', 'createdAt', 'updatedAt'];
const overrideColumns = ['id', 'clientId', 'isActive', 'allowed', 'windowSeconds', 'createdAt', 'updatedAt'];
const selectTiers = `select ${columns('t', tierColumns)} from tiers t order by t.tier`;
const selectOverrides = `select ${columns('o', overrideColumns)} from overrides o order by o.id`;
const selectActive = `select ${columns('o', overrideColumns)} from overrides o where o.is_active = true order by o.id`;

const takeFromProfiles = `update profiles set tier = null, updated_at = ${grown('updated_at')} where tier = ?`;

// SQLite's own answer to a boolean column is 0 or 1.
const tierOf = (row: TierRow): Tier => ({
  tier: row.tier,
  description: row.description ?? null,
  isActive: Boolean(row.isActive),
  allowed: row.allowed,
  windowSeconds: row.windowSeconds,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const overrideOf = (row: OverrideRow): Override => ({
  id: row.id,
  clientId: row.clientId,
  isActive: Boolean(row.isActive),
  allowed: row.allowed,
  windowSeconds: row.windowSeconds,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

const loadTier = async ({ em }: Transaction, tier: string): Promise<TierRow> => {
  const row = await em.findOne(TierEntity, { tier });
  if (!row) throw new PorticoError('tier_not_found');
  return row;
};

const loadOverride = async ({ em }: Transaction, id: number): Promise<OverrideRow> => {
  const row = await em.findOne(OverrideEntity, { id });
  if (!row) throw new PorticoError('override_not_found');
  return row;
};

/** There is one: an override goes with its profile, by a foreign key. */
const ownerOf = async (sql: Sql, { profile }: OverrideRow): Promise<Profile> => {
  const owner = await findProfile(sql, profile);
  if (!owner) throw new PorticoError('override_not_found');
  return owner;
};

/** Before the one that is active now is written, since a profile has one active override at most. */
const makeOthersInactive = async (
  { em }: Transaction,
  profile: ProfileId,
  { id = 0, isActive, updatedAt }: NewOverride & { readonly id?: number },
): Promise<void> => {
  if (!isActive) return;
  for (const other of await em.find(OverrideEntity, { profile, isActive: true, id: { $ne: id } })) {
    other.isActive = false;
    other.updatedAt = nextChangeAt(other.updatedAt, updatedAt);
  }
  await em.flush();
};
