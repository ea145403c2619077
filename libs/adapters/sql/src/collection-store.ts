import {
  type Collection,
  type CollectionId,
  type CollectionStore,
  type DocumentContent,
  PorticoError,
} from '@portico/domain';
import {
  collectionColumns,
  collectionOf,
  toCollectionRow,
  insertCollection,
  updateCollection,
} from './collection-record.ts';
import type { CollectionColumns } from './collection-record.ts';
import { writeEffects } from './effects.ts';
import { DocumentEntity } from './entities/collection-entities.ts';
import { buildNextValue, createEpochParameters } from './epochs.ts';
import { keepCurrentText, writeRevision } from './revision-writes.ts';
import { deleteOperations, writeOperations } from './operation-writes.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { buildColumns, upsertInto, write } from './table.ts';

/** The reads of the hot paths. Each dialect has its own SQL for them. */
export type CollectionReads = Pick<
  CollectionStore,
  | 'findDocument'
  | 'findOriginal'
  | 'list'
  | 'findByNames'
  | 'listNamesakes'
  | 'count'
  | 'listVisibleIds'
  | 'listInactive'
  | 'listOwnedIds'
  | 'findNames'
>;

export const createSqlCollectionStore = (database: SqlDatabase, reads: CollectionReads): CollectionStore => ({
  ...reads,

  async add(collection, document, effects) {
    await database.transact(async (transaction) => {
      await write(transaction, insertCollection, toCollectionRow(collection));
      await writeDocument(transaction, collection, document);
      await writeRevision(transaction, collection, document.revision);
      await transaction.run(touchCatalog, createEpochParameters());
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

  update: (id, decide) => database.transact((transaction) => applyChange(transaction, id, decide)),

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(await loadCollection(transaction, id));
      await transaction.run(touchGrantsOf, [...createEpochParameters(), id]);
      await transaction.run(touchGroups, createEpochParameters());
      await deleteOperations(transaction, id);
      // The foreign keys also delete the collection's document, revisions, vectors and grants.
      await transaction.run(remove, [id]);
      await transaction.run(clearSuccessor, [id]);
      await transaction.run(touchCatalog, createEpochParameters());
      await writeEffects(transaction, effects);
    });
  },
});

const selectById = `select ${buildColumns('c', collectionColumns)} from collections c where c.id = ?`;
const selectByImportKey = `select ${buildColumns('c', collectionColumns)} from collections c where c.import_key = ?`;
export const touchCatalog = `update epochs set catalog = ${buildNextValue('catalog')} where id = 1`;
export const touchGroups = `update epochs set groups = ${buildNextValue('groups')} where id = 1`;
const touchGrantsOf = `update profiles set grants_epoch = ${buildNextValue('grants_epoch')}
  where id in (select profile_id from grants where collection_id = ?)`;
const upsertDocument = upsertInto(DocumentEntity, 'collectionId');
const clearSuccessor = `update collections set lifecycle_successor = null, revision = revision + 1
  where lifecycle_successor = ?`;
const remove = 'delete from collections where id = ?';

type Decide = Parameters<CollectionStore['update']>[1];

const applyChange = async (sql: Sql, id: CollectionId, decide: Decide): Promise<Collection> => {
  const current = await loadCollection(sql, id);
  const change = decide(current);
  if (!change) return current;
  const { collection, document } = change;
  const isRevised = document !== undefined && collection.documentDigest !== current.documentDigest;
  if (isRevised) await keepCurrentText(sql, current);
  await write(sql, updateCollection, toCollectionRow({ ...collection, id }));
  if (document) await writeDocument(sql, collection, document);
  if (isRevised) await writeRevision(sql, collection, document.revision);
  await sql.run(touchCatalog, createEpochParameters());
  await writeEffects(sql, change);
  return collection;
};

const writeDocument = async (
  sql: Sql,
  { id, documentDigest }: Collection,
  { packed, operations, original }: DocumentContent,
): Promise<void> => {
  await write(sql, upsertDocument, {
    ...{ collectionId: id, ...packed },
    originalDeflated: original?.packed?.deflated ?? null,
    originalCrc32: original?.packed?.crc32 ?? null,
    originalBytes: original?.packed?.bytes ?? null,
  });
  await writeOperations(sql, { collectionId: id, documentDigest, operations });
};

/** Loads a collection in a transaction that changes it. Throws `collection_not_found`. */
export const loadCollection = async (sql: Sql, id: CollectionId): Promise<Collection> => {
  const row = await sql.first<CollectionColumns>(selectById, [id]);
  if (!row) throw new PorticoError('collection_not_found');
  return collectionOf(row);
};
