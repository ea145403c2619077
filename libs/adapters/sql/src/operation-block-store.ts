import { createYielder } from '@portico/dependencies';
import type { CollectionId, OperationBlockChange, OperationBlockStore, OperationProgress } from '@portico/domain';
import { OperationBlockEntity } from './entities/vector-entities.ts';
import { createSequencedWrites } from './epochs.ts';
import type { PreparedReads, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, upsertInto, omitNames, write } from './table.ts';

const yieldToEventLoop = createYielder();

export const createSqlOperationBlockStore = (
  database: SqlDatabase,
  preparedReads: PreparedReads,
): OperationBlockStore => ({
  put: preparePut(database),

  listChangedSince: prepareChangedSince(preparedReads),

  async listCollectionsAfter(after, modelId, limit) {
    const rows = await database.reads.all<{ id: CollectionId }>(selectCollections, [modelId, after ?? '', limit]);
    return rows.map(({ id }) => id);
  },

  async listOutdated(modelId) {
    const rows = await database.reads.all<{ id: CollectionId }>(selectOutdated, [modelId]);
    return rows.map(({ id }) => id);
  },

  async readProgress(modelId) {
    const row = await database.reads.first<OperationProgress>(selectProgress, [modelId]);
    return row ?? { total: 0, done: 0, failed: 0 };
  },

  async removeOthers(modelId, limit) {
    // SQLite calls are synchronous: without yielding, many batches would starve the event loop.
    await yieldToEventLoop();
    return database.transact((transaction) => transaction.run(removeOthers, [modelId, limit]));
  },
});

const preparePut = (database: SqlDatabase): OperationBlockStore['put'] => {
  const writeInSequence = createSequencedWrites(database, 'operations');
  return (block) =>
    writeInSequence(async (sql, sequence) => {
      const { collectionId, documentDigest, contentRevision } = block;
      if (!(await sql.first(selectCurrent, [collectionId, documentDigest, contentRevision]))) return false;
      await write(sql, upsert, { ...block, sequence });
      return true;
    });
};

const prepareChangedSince = (preparedReads: PreparedReads): OperationBlockStore['listChangedSince'] => {
  const readChanges = preparedReads.prepareAll<ChangeRow>(selectChanged);
  const readPacked = preparedReads.prepareLarge<Pick<OperationBlockChange, 'packed'>>(selectPacked);

  /**
   * Adds the packed blocks to the rows, reading large ones one at a time. Returns null if one of them was replaced or
   * removed in the meantime.
   */
  const addPackedBlocks = async (rows: readonly ChangeRow[]): Promise<readonly OperationBlockChange[] | null> => {
    const changes: OperationBlockChange[] = [];
    for (const row of rows) {
      const { collectionId, modelId, sequence } = row;
      const packed = row.packed ?? (await readPacked(collectionId, modelId, sequence))?.packed;
      if (!packed) return null;
      changes.push({ ...row, packed });
    }
    return changes;
  };

  return async (after, modelId, limit) => {
    for (;;) {
      const changes = await addPackedBlocks(await readChanges(after, modelId, limit));
      if (changes) return changes;
    }
  };
};

type ChangeRow = Omit<OperationBlockChange, 'packed'> & { readonly packed: Uint8Array | null };

/** Larger blocks are read one by one: in a batch, PostgreSQL would send them as text, which is twice as long. */
const smallBytesMax = 2 ** 18;

const selectCurrent = `select id from collections
  where id = ? and document_digest = ? and operations_digest = document_digest and content_revision = ?`;
const upsert = upsertInto(OperationBlockEntity, 'collectionId', 'modelId');
const selectChanged = `select ${buildColumns('b', omitNames(columnsOf(OperationBlockEntity), 'packed'))},
  case when length(b.packed) <= ${smallBytesMax} then b.packed end as "packed" from operation_blocks b
  where b.sequence > ? and b.model_id = ? order by b.sequence limit ?`;
const selectPacked = `select b.packed as "packed" from operation_blocks b
  where b.collection_id = ? and b.model_id = ? and b.sequence = ?`;
const selectCollections = `select b.collection_id as "id" from operation_blocks b
  where b.model_id = ? and b.collection_id > ? order by b.collection_id limit ?`;
const joinUpToDate = `left join operation_blocks b on b.collection_id = c.id and b.model_id = ?
  and b.document_digest = c.document_digest and b.content_revision = c.content_revision`;
const selectOutdated = `select c.id from collections c ${joinUpToDate} where b.collection_id is null order by c.id`;
const selectProgress = `select count(c.id) as "total", count(b.collection_id) as "done",
  count(case when b.collection_id is null then f.collection_id end) as "failed" from collections c ${joinUpToDate}
  left join (select distinct collection_id from jobs where kind = 'operations' and given_up = true) f
  on f.collection_id = c.id`;
const removeOthers = `delete from operation_blocks where (collection_id, model_id) in (
  select b.collection_id, b.model_id from operation_blocks b
  where b.model_id <> ? order by b.collection_id, b.model_id limit ?)`;
