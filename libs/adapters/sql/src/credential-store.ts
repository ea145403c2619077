import type { CollectionId, CredentialStore, StoredCredential } from '@portico/domain';
import { toCollectionRow, updateCollection } from './collection-record.ts';
import { loadCollection, touchCatalog } from './collection-store.ts';
import { writeEffects } from './effects.ts';
import { CollectionCredentialEntity } from './entities/collection-entities.ts';
import { createEpochParameters } from './epochs.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, insertInto, omitNames, write, writeEach } from './table.ts';

export const createSqlCredentialStore = (database: SqlDatabase): CredentialStore => ({
  list: (id) => listCredentials(database.reads, id),

  update: (id, decide) =>
    database.transact(async (transaction) => {
      const current = await loadCollection(transaction, id);
      const change = decide(current, await listCredentials(transaction, id));
      if (!change) return current;
      await transaction.run(deleteAll, [id]);
      await writeEach(
        transaction,
        insertCredential,
        change.credentials.map((credential) => ({ ...credential, collectionId: id })),
      );
      const credentialSchemes = await listSchemes(transaction, id);
      const collection = { ...change.collection, id, credentialSchemes };
      await write(transaction, updateCollection, toCollectionRow(collection));
      await transaction.run(touchCatalog, createEpochParameters());
      await writeEffects(transaction, change);
      return collection;
    }),
});

/** Removes one credential as part of another change. The caller updates the collection's `credentialSchemes`. */
export const deleteCredential = 'delete from collection_credentials where collection_id = ? and scheme = ?';

/** Returns the schemes of the collection's credentials, in code point order. */
export const listSchemes = async (sql: Sql, id: CollectionId): Promise<readonly string[]> =>
  (await listCredentials(sql, id)).map(({ scheme }) => scheme);

const listCredentials = (sql: Sql, id: CollectionId): Promise<readonly StoredCredential[]> =>
  sql.all<StoredCredential>(selectAll, [id]);

const credentialColumns = omitNames(columnsOf(CollectionCredentialEntity), 'collectionId');
const insertCredential = insertInto(CollectionCredentialEntity, columnsOf(CollectionCredentialEntity));
const selectAll = `select ${buildColumns('c', credentialColumns)} from collection_credentials c
  where c.collection_id = ? order by c.scheme`;
const deleteAll = 'delete from collection_credentials where collection_id = ?';
