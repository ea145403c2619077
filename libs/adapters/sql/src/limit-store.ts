import { PorticoError } from '@portico/domain';
import type {
  ClientId,
  LimitedClient,
  LimitStore,
  Override,
  OverrideChange,
  Profile,
  ProfileId,
  Tier,
} from '@portico/domain';
import { writeEffects } from './effects.ts';
import { buildNextValue } from './epochs.ts';
import { OverrideEntity, TierEntity } from './entities/limit-entities.ts';
import {
  type LimitColumns,
  limitColumns,
  limitsOf,
  limitTables,
  mostGenerousTier,
  tierAsText,
} from './limit-record.ts';
import { groupsOf } from './memberships.ts';
import { findProfile } from './profile-store.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { buildColumns, columnsOf, insertInto, type Row, updateOf, omitNames, write, writeEach } from './table.ts';

type TierStore = Pick<LimitStore, 'listTiers' | 'addTier' | 'updateTier' | 'removeTier'>;
type OverrideStore = Omit<LimitStore, keyof TierStore | 'listClients'>;

export const createSqlLimitStore = (database: SqlDatabase): LimitStore => ({
  ...createTierStore(database),
  ...createOverrideStore(database),
  listClients: async () => (await database.reads.all<ClientRow>(selectClients)).map(clientOf),
});

const createTierStore = (database: SqlDatabase): TierStore => ({
  async listTiers() {
    return (await database.reads.all<TierRow>(selectTiers)).map(tierOf);
  },

  async addTier(tier, effects) {
    try {
      await database.transact(async (transaction) => {
        await write(transaction, insertTier, tier);
        await writeEffects(transaction, effects);
      }, effects.deadline);
    } catch (cause) {
      if (database.findViolatedKey(cause) === 'tiers.tier') throw new PorticoError('tier_taken', { cause });
      throw cause;
    }
  },

  async updateTier(name, decide) {
    return database.transact(async (transaction) => {
      const change = decide(await loadTier(transaction, name));
      const tier = { ...change.tier, tier: name };
      await write(transaction, updateTier, tier);
      await writeEffects(transaction, change);
      return tier;
    });
  },

  async removeTier(name, decide) {
    await database.transact(async (transaction) => {
      const change = decide(await loadTier(transaction, name));
      await transaction.run(deleteTier, [name]);
      await transaction.run(removeFromProfiles, [change.removedAt, change.removedAt, name]);
      await transaction.run(removeFromGroups, [change.removedAt, change.removedAt, name]);
      await writeEffects(transaction, change);
    });
  },
});

const createOverrideStore = (database: SqlDatabase): OverrideStore => ({
  async listOverrides(activeOnly) {
    return (await database.reads.all<OverrideRow>(activeOnly ? selectActive : selectOverrides)).map(overrideOf);
  },

  async listClientOverrides({ activeOnly, limit, after }) {
    const text = `${selectWithClients}${activeOnly ? ' and o.is_active = true' : ''} order by o.id`;
    const rows = await (limit === null
      ? database.reads.all<ClientOverrideRow>(text, [after ?? 0])
      : database.reads.all<ClientOverrideRow>(`${text} limit ?`, [after ?? 0, limit]));
    return rows.map(({ email, fullName, ...row }) => ({
      override: overrideOf(row),
      client: { id: row.profileId, email, fullName },
    }));
  },

  async countOverrides(activeOnly) {
    const text = `select count(*) as total from overrides${activeOnly ? ' where is_active = true' : ''}`;
    return (await database.reads.first<{ total: number }>(text))?.total ?? 0;
  },

  async addOverride(client, decide) {
    return database.transact(async (transaction) => {
      if (!(await findProfile(transaction, client))) throw new PorticoError('client_not_found');
      const change = decide(await overridesOf(transaction, client));
      await storeOtherOverrides(transaction, client, change);
      const row = { ...change.override, profileId: client };
      const insertedRow = await transaction.first<{ id: number }>(
        `${insertOverride.text} returning id`,
        insertOverride.toParameters(row),
      );
      if (!insertedRow) throw new Error('The database returned no id for the new override.');
      await writeEffects(transaction, change);
      return { ...change.override, id: insertedRow.id };
    });
  },

  async updateOverride(id, decide) {
    return database.transact(async (transaction) => {
      const { override: current, client } = await loadOverride(transaction, id);
      const otherOverrides = (await overridesOf(transaction, client.id)).filter(
        (otherOverride) => otherOverride.id !== id,
      );
      const change = decide(current, client, otherOverrides);
      const override = { ...change.override, id };
      await storeOtherOverrides(transaction, client.id, change);
      await write(transaction, updateOverride, { ...override, profileId: client.id });
      await writeEffects(transaction, change);
      return override;
    });
  },

  async removeOverride(id, decide) {
    await database.transact(async (transaction) => {
      const { override, client } = await loadOverride(transaction, id);
      const effects = decide(override, client);
      await transaction.run(deleteOverride, [id]);
      await writeEffects(transaction, effects);
    });
  },
});

type TierRow = Row<typeof TierEntity>;
type OverrideRow = Row<typeof OverrideEntity>;
type ClientOverrideRow = OverrideRow & Pick<Profile, 'email' | 'fullName'>;

const tierColumns = columnsOf(TierEntity);
const selectTiers = `select ${buildColumns('t', tierColumns)} from tiers t order by t.tier`;
const selectTier = `select ${buildColumns('t', tierColumns)} from tiers t where t.tier = ?`;
const insertTier = insertInto(TierEntity, tierColumns);
const updateTier = updateOf(TierEntity, 'tier', omitNames(tierColumns, 'tier'));
const deleteTier = 'delete from tiers where tier = ?';
const removeFromGroups = `update access_groups set tier = null, updated_at = ${buildNextValue('updated_at')} where tier = ?`;
const removeFromProfiles = `update profiles set tier = null, updated_at = ${buildNextValue('updated_at')} where tier = ?`;

const overrideColumns = columnsOf(OverrideEntity);
const selectFrom = `select ${buildColumns('o', overrideColumns)} from overrides o`;
const selectWithClients = `select ${buildColumns('o', overrideColumns)}, p.email, p.full_name as "fullName"
  from overrides o join profiles p on p.id = o.profile_id where o.id > ?`;
const selectOverrides = `${selectFrom} order by o.id`;
const selectActive = `${selectFrom} where o.is_active = true order by o.id`;
const selectOverride = `${selectFrom} where o.id = ?`;
const selectOfClient = `${selectFrom} where o.profile_id = ? order by o.id`;
const insertOverride = insertInto(OverrideEntity, omitNames(overrideColumns, 'id'));
const updateOverride = updateOf(OverrideEntity, 'id', omitNames(overrideColumns, 'id'));
const deleteOverride = 'delete from overrides where id = ?';

// SQLite stores a boolean as 0 or 1.
const tierOf = (row: TierRow): Tier => ({ ...row, isActive: Boolean(row.isActive) });

const overrideOf = ({ profileId: _owner, ...row }: OverrideRow): Override => ({
  ...row,
  isActive: Boolean(row.isActive),
});

const loadTier = async (sql: Sql, name: string): Promise<Tier> => {
  const row = await sql.first<TierRow>(selectTier, [name]);
  if (!row) throw new PorticoError('tier_not_found');
  return tierOf(row);
};

/** Loads an override with its client, which always exists: a foreign key deletes overrides with their profile. */
const loadOverride = async (
  sql: Sql,
  id: number,
): Promise<{ readonly override: Override; readonly client: Profile }> => {
  const row = await sql.first<OverrideRow>(selectOverride, [id]);
  const client = row && (await findProfile(sql, row.profileId));
  if (!client) throw new PorticoError('override_not_found');
  return { override: overrideOf(row), client };
};

const overridesOf = async (sql: Sql, client: ProfileId): Promise<readonly Override[]> =>
  (await sql.all<OverrideRow>(selectOfClient, [client])).map(overrideOf);

/**
 * Writes the client's other overrides that change. Must run before the override itself is written: a client may never
 * have two active overrides.
 */
const storeOtherOverrides = (
  sql: Sql,
  profileId: ProfileId,
  { otherOverrides = [] }: Pick<OverrideChange<Override>, 'otherOverrides'>,
): Promise<void> =>
  writeEach(
    sql,
    updateOverride,
    otherOverrides.map((otherOverride) => ({ ...otherOverride, profileId })),
  );

interface ClientRow extends LimitColumns {
  readonly id: ProfileId;
  readonly email: string;
  readonly fullName: string;
  readonly clientId: ClientId | null;
}

const clientOf = (row: ClientRow): LimitedClient => ({
  id: row.id,
  email: row.email,
  fullName: row.fullName,
  clientId: row.clientId,
  limits: limitsOf(row),
});

/** Reads a profile's groups only if it may have any. */
const selectClients = `select p.id, p.email, p.full_name as "fullName", p.client_id as "clientId", ${limitColumns},
  case when p.in_groups then (select ${tierAsText} from access_groups r join tiers a on a.tier = r.tier
    where a.is_active = true and r.id in (${groupsOf('p.id')}) ${mostGenerousTier}) end as "groupTier"
  from profiles p ${limitTables} where p.role = 'client' order by p.email`;
