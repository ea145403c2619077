import type { CollectionAccess, CollectionId, GrantState, GrantStore, Instant, ProfileId } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { GrantEntity } from './entities.ts';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import { findProfile } from './profile-store.ts';
import { grown, nextEpochs } from './epochs.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { columns, columnsOf, insertInto, write } from './table.ts';

export const createSqlGrantStore = (database: SqlDatabase): GrantStore => ({
  async grant(profile, collection, decide) {
    await database.transact(async (transaction) => {
      const change = decide(await stateOf(transaction, profile, collection));
      await write(transaction, insertGrant, {
        profileId: profile,
        collectionId: collection,
        grantedAt: change.grantedAt,
      });
      await transaction.run(touchGrants, [...nextEpochs(), profile]);
      await writeEffects(transaction, change);
    });
  },

  async revoke(profile, collection, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(await stateOf(transaction, profile, collection));
      await transaction.run(deleteGrant, [profile, collection]);
      await transaction.run(touchGrants, [...nextEpochs(), profile]);
      await writeEffects(transaction, effects);
    });
  },

  async collectionsOf(id) {
    // In this order: if the profile is found, it existed while its grants were read.
    const collections = await database.reads.all<CollectionAccess>(selectCollections, [id]);
    const client = await findProfile(database.reads, id);
    return client && { client, collections };
  },

  async clientsOf(collection) {
    const rows = await database.reads.all<ClientRow>(selectClients, [collection]);
    if (rows.length === 0) return null;
    return rows.filter(isClient).map((row) => ({ profile: profileOf(row), grantedAt: row.grantedAt }));
  },
});

interface GrantedClient extends ProfileColumns {
  readonly grantedAt: Instant;
}
/** A single row without a client means that the collection has no grants. */
type ClientRow = GrantedClient | { readonly grantedAt: null };
const isClient = (row: ClientRow): row is GrantedClient => row.grantedAt !== null;

const selectCollections = `select ${columns('c', ['id', 'name', 'description'])}, ${columns('g', ['grantedAt'])}
  from collections c left join grants g on g.collection_id = c.id and g.profile_id = ?
  order by c.name_key, c.id`;
const selectClients = `select ${columns('p', profileColumns)}, ${columns('g', ['grantedAt'])}
  from collections c left join grants g on g.collection_id = c.id left join profiles p on p.id = g.profile_id
  where c.id = ? order by p.email`;
const insertGrant = insertInto(GrantEntity, columnsOf(GrantEntity));
const deleteGrant = 'delete from grants where profile_id = ? and collection_id = ?';
const touchGrants = `update profiles set grants_epoch = ${grown('grants_epoch')} where id = ?`;

type Absent = { readonly id: null } & Pick<StateRow, 'collectionName' | 'grantedAt'>;
interface StateRow extends ProfileColumns {
  readonly collectionName: string | null;
  readonly grantedAt: Instant | null;
}

/** Always one row, whichever of the three exist. */
const selectState = `select ${columns('p', profileColumns)}, c.name as "collectionName", ${columns('g', ['grantedAt'])}
  from (select 1) one left join profiles p on p.id = ? left join collections c on c.id = ?
  left join grants g on g.profile_id = p.id and g.collection_id = c.id`;

const stateOf = async (sql: Sql, profile: ProfileId, collection: CollectionId): Promise<GrantState> => {
  const row = await sql.first<StateRow | Absent>(selectState, [profile, collection]);
  return {
    client: row?.id != null ? profileOf(row) : null,
    collectionName: row?.collectionName ?? null,
    grantedAt: row?.grantedAt ?? null,
  };
};
