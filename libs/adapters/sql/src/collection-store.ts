import {
  type Collection,
  type CollectionId,
  type CollectionStore,
  type Deadline,
  type DocumentContent,
  PorticoError,
} from '@portico/domain';
import {
  collectionColumns,
  collectionOf,
  collectionRow,
  insertCollection,
  updateCollection,
} from './collection-record.ts';
import type { CollectionColumns } from './collection-record.ts';
import { writeEffects } from './effects.ts';
import { DocumentEntity } from './entities/collection-entities.ts';
import { grown, nextEpochs } from './epochs.ts';
import { assertWhole, inRow, liesInChunks, removeValue, storeInChunks, type StoredValue } from './large-values.ts';
import { deleteOperations, type LeftOperations, writeLeftOperations, writeOperations } from './operation-writes.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { columns, upsertInto, write } from './table.ts';

/** The reads of the hot paths; each dialect has its own SQL for them. */
export type CollectionReads = Pick<CollectionStore, 'document' | 'list' | 'count' | 'visibleIds' | 'names'>;

export const createSqlCollectionStore = (database: SqlDatabase, reads: CollectionReads): CollectionStore => ({
  ...reads,

  async add(collection, document, effects) {
    const { deflated } = document.packed;
    const stored = liesInChunks(database.reads, deflated)
      ? await storeInChunks(database, collection.id, deflated, effects.deadline)
      : inRow(deflated);
    const left = await database.transact(async (transaction) => {
      await write(transaction, insertCollection, collectionRow(collection));
      const operations = await writeDocument(transaction, collection, document, stored);
      await transaction.run(touchCatalog, nextEpochs());
      await writeEffects(transaction, effects);
      return operations;
    }, effects.deadline);
    await writeLeft(database, left);
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
    for (let ready: ReadyDocument | null = null; ;) {
      const step = await database.transact((transaction) => changed(transaction, id, decide, ready));
      for (const contentId of step.unused) await removeValue(database, id, contentId);
      if ('collection' in step) {
        await writeLeft(database, step.left);
        return step.collection;
      }
      const { needed, deadline } = step;
      ready = { document: needed, stored: await storeInChunks(database, id, needed.packed.deflated, deadline) };
    }
  },

  async remove(id, decide) {
    const unused = await database.transact(async (transaction) => {
      const effects = decide(await load(transaction, id));
      const contents = await transaction.all<{ contentId: string }>(selectContents, [id, id]);
      await transaction.run(touchGrantsOf, [...nextEpochs(), id]);
      await transaction.run(touchGroups, nextEpochs());
      await deleteOperations(transaction, id);
      // Foreign keys delete its document, vectors and grants, and operations that are left.
      await transaction.run(remove, [id]);
      await transaction.run(touchCatalog, nextEpochs());
      await writeEffects(transaction, effects);
      return contents;
    });
    for (const { contentId } of unused) await removeValue(database, id, contentId);
  },
});

const selectById = `select ${columns('c', collectionColumns)} from collections c where c.id = ?`;
const selectByImportKey = `select ${columns('c', collectionColumns)} from collections c where c.import_key = ?`;
export const touchCatalog = `update epochs set catalog = ${grown('catalog')} where id = 1`;
export const touchGroups = `update epochs set groups = ${grown('groups')} where id = 1`;
const touchGrantsOf = `update profiles set grants_epoch = ${grown('grants_epoch')}
  where id in (select profile_id from grants where collection_id = ?)`;
const upsertDocument = upsertInto(DocumentEntity, 'collectionId');
const selectContent = 'select content_id as "contentId" from documents where collection_id = ?';
const selectContents = `${selectContent} and content_id is not null union all
  select content_id from operation_blocks where collection_id = ? and content_id is not null`;
const remove = 'delete from collections where id = ?';

type Decide = Parameters<CollectionStore['update']>[1];

/** A document whose text is stored, before the transaction that stores the rest. */
interface ReadyDocument {
  readonly document: DocumentContent;
  readonly stored: StoredValue;
}

/** What a transaction has changed, or the document that has to be ready before another one does. */
type ChangeStep = { readonly unused: readonly (string | null)[] } & (
  | { readonly collection: Collection; readonly left: LeftOperations | null }
  | { readonly needed: DocumentContent; readonly deadline: Deadline | null }
);

const changed = async (
  sql: Sql,
  id: CollectionId,
  decide: Decide,
  ready: ReadyDocument | null,
): Promise<ChangeStep> => {
  const current = await load(sql, id);
  const change = decide(current);
  // Another decision than the one before may need another document, or none.
  const stored = ready && change?.document === ready.document ? ready.stored : undefined;
  const unused = ready && !stored ? [ready.stored.contentId] : [];
  if (!change) return { collection: current, left: null, unused };
  const { collection, document } = change;
  if (document && !stored && liesInChunks(sql, document.packed.deflated))
    return { needed: document, deadline: change.deadline, unused };
  await write(sql, updateCollection, collectionRow({ ...collection, id }));
  const replaced = document && (await sql.first<{ contentId: string | null }>(selectContent, [id]));
  const left = document ? await writeDocument(sql, collection, document, stored) : null;
  await sql.run(touchCatalog, nextEpochs());
  await writeEffects(sql, change);
  return { collection, left, unused: replaced ? [...unused, replaced.contentId] : unused };
};

const writeDocument = async (
  sql: Sql,
  { id, documentDigest }: Collection,
  { packed, operations }: DocumentContent,
  stored: StoredValue = inRow(packed.deflated),
): Promise<LeftOperations | null> => {
  await assertWhole(sql, id, stored, packed.deflated);
  const { bytes: deflated, contentId } = stored;
  await write(sql, upsertDocument, { collectionId: id, ...packed, deflated, contentId });
  return writeOperations(sql, { collectionId: id, documentDigest, operations });
};

/** The change is committed, so it does not fail any more. The document's job writes what is missing, and tells why not. */
const writeLeft = async (database: SqlDatabase, left: LeftOperations | null): Promise<void> => {
  if (left) await writeLeftOperations(database, left).catch(() => undefined);
};

const load = async (sql: Sql, id: CollectionId): Promise<Collection> => {
  const row = await sql.first<CollectionColumns>(selectById, [id]);
  if (!row) throw new PorticoError('collection_not_found');
  return collectionOf(row);
};
