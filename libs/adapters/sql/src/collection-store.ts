import { PorticoError } from '@portico/domain';
import type { CollectionId, CollectionStore, PackedText } from '@portico/domain';
import { collectionColumns, collectionData, collectionOf } from './collection-record.ts';
import type { CollectionColumns } from './collection-record.ts';
import { writeEffects } from './effects.ts';
import { CollectionEntity } from './entities.ts';
import type { CollectionRow } from './entities.ts';
import { grown, nextEpochs } from './epochs.ts';
import type { Database, Sql, Transaction } from './sql.ts';
import { columns } from './table.ts';

/** The reads of the hot paths, which each dialect has in its own SQL. */
export type CollectionReads = Pick<CollectionStore, 'document' | 'list' | 'visibleIds' | 'names'>;

export const createSqlCollectionStore = (database: Database, reads: CollectionReads): CollectionStore => ({
  ...reads,

  async add(collection, document, effects) {
    await database.transact(async (transaction) => {
      await transaction.em.insert(CollectionEntity, collectionData(collection));
      await storeDocument(transaction, collection.id, document);
      await transaction.run(touchCatalog, nextEpochs());
      await writeEffects(transaction, effects);
    }, effects.deadline);
  },

  async find(id) {
    const row = await database.reads.first<CollectionColumns>(selectById, [id]);
    return row ? collectionOf(row) : null;
  },

  async findByImportKey(importKey) {
    const row = await database.reads.first<CollectionColumns>(selectByImportKey, [importKey]);
    return row ? collectionOf(row) : null;
  },

  async update(id, decide) {
    return database.transact(async (transaction) => {
      const row = await load(transaction, id);
      const current = collectionOf(row);
      const change = decide(current);
      if (!change) return current;
      Object.assign(row, collectionData({ ...change.collection, id }));
      await transaction.em.flush();
      if (change.document) await storeDocument(transaction, id, change.document);
      await transaction.run(touchCatalog, nextEpochs());
      await writeEffects(transaction, change);
      return change.collection;
    });
  },

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(collectionOf(await load(transaction, id)));
      await transaction.run(touchGrantsOf, [...nextEpochs(), id]);
      // Its document, embedding and grants go with the row, by foreign keys.
      await transaction.em.nativeDelete(CollectionEntity, { id });
      await transaction.run(touchCatalog, nextEpochs());
      await writeEffects(transaction, effects);
    });
  },
});

const selectById = `select ${columns('c', collectionColumns)} from collections c where c.id = ?`;
const selectByImportKey = `select ${columns('c', collectionColumns)} from collections c where c.import_key = ?`;
export const touchCatalog = `update epochs set catalog = ${grown('catalog')} where id = 1`;
const touchGrantsOf = `update profiles set grants_epoch = ${grown('grants_epoch')}
  where id in (select profile_id from grants where collection_id = ?)`;
const upsertDocument = `insert into documents (collection_id, deflated, crc32, bytes) values (?, ?, ?, ?)
  on conflict (collection_id) do update
  set deflated = excluded.deflated, crc32 = excluded.crc32, bytes = excluded.bytes`;

const load = async ({ em }: Transaction, id: CollectionId): Promise<CollectionRow> => {
  const row = await em.findOne(CollectionEntity, { id });
  if (!row) throw new PorticoError('collection_not_found');
  return row;
};

/** Not by the entity manager, which would write megabytes into the text of a statement. */
const storeDocument = async (sql: Sql, id: CollectionId, { deflated, crc32, bytes }: PackedText): Promise<void> => {
  await sql.run(upsertDocument, [id, deflated, crc32, bytes]);
};
