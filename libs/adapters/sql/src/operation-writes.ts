import { createYielder } from '@portico/dependencies';
import type { CollectionId, Operation, OperationKey } from '@portico/domain';
import { OperationEntity } from './entities/collection-entities.ts';
import type { Sql } from './sql.ts';
import { buildColumns, columnsOf, type Row, upsertInto, omitNames, writeEach } from './table.ts';

/** The operations of a stored document. */
export interface OperationsOfDocument {
  readonly collectionId: CollectionId;
  readonly documentDigest: string;
  readonly operations: readonly Operation[];
}

/** Replaces the operations of an earlier document, in the same transaction that stores the new document. */
export const writeOperations = async (sql: Sql, document: OperationsOfDocument): Promise<void> => {
  const { collectionId, documentDigest } = document;
  for await (const batch of batchesOf(sql, document)) await writeBatch(sql, batch);
  await sql.run(updateDigest, [documentDigest, collectionId]);
};

/**
 * Deletes the operations of a collection before the collection itself, in the same transaction. The foreign key would
 * delete all of them in one call, during which SQLite blocks the event loop.
 */
export const deleteOperations = async (sql: Sql, id: CollectionId): Promise<void> => {
  const yieldToEventLoop = createYielder();
  while ((await sql.run(deleteBatch, [id, id, batchMax])) >= batchMax) await yieldToEventLoop();
};

/**
 * The number of operations written or deleted per batch, which takes 5 to 20 ms, during which SQLite blocks the event
 * loop. With smaller batches, other writers would wait longer for the transaction.
 */
const batchMax = 2_048;

type OperationRow = Row<typeof OperationEntity>;
type StoredRow = Omit<OperationRow, 'collectionId'>;

interface Batch {
  readonly changedRows: readonly OperationRow[];
  readonly removedKeys: readonly (readonly [CollectionId, OperationKey])[];
}

/** Yields only differences: most new documents change few operations, and other writers wait for this transaction. */
async function* batchesOf(sql: Sql, { collectionId, operations }: OperationsOfDocument): AsyncGenerator<Batch> {
  const yieldToEventLoop = createYielder();
  const keys = new Set(operations.map(({ key }) => key));
  let hasStoredRows = false;
  for await (const keysInBatch of readStoredKeys(sql, collectionId)) {
    hasStoredRows ||= keysInBatch.length > 0;
    const keyPairs = keysInBatch.filter((key) => !keys.has(key)).map((key) => [collectionId, key] as const);
    if (keyPairs.length > 0) yield { changedRows: [], removedKeys: keyPairs };
  }
  for (let from = 0; from < operations.length; from += batchMax) {
    await yieldToEventLoop();
    const storedByKey = hasStoredRows ? await readStoredRows(sql, collectionId, from) : noRows;
    const changedRows = operations
      .slice(from, from + batchMax)
      .map((operation, index) => ({
        ...operation,
        collectionId,
        position: from + index,
        tags: JSON.stringify(operation.tags),
      }))
      .filter((row) => !isUnchanged(storedByKey.get(row.key), row));
    if (changedRows.length > 0) yield { changedRows, removedKeys: [] };
  }
}

const writeBatch = async (sql: Sql, { changedRows, removedKeys: keyPairs }: Batch): Promise<void> => {
  await writeEach(sql, upsertOperation, changedRows);
  await sql.runEach(deleteOperation, keyPairs);
};

async function* readStoredKeys(sql: Sql, collectionId: CollectionId): AsyncGenerator<readonly OperationKey[]> {
  const yieldToEventLoop = createYielder();
  for (let after: OperationKey | '' = ''; ;) {
    const rows: readonly Pick<StoredRow, 'key'>[] = await sql.all(selectKeys, [collectionId, after, batchMax]);
    yield rows.map(({ key }) => key);
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < batchMax) return;
    after = lastRow.key;
    // SQLite calls are synchronous.
    await yieldToEventLoop();
  }
}

/** Returns the stored rows at the positions of a batch; a row at a different position counts as changed. */
const readStoredRows = async (
  sql: Sql,
  collectionId: CollectionId,
  from: number,
): Promise<ReadonlyMap<OperationKey, StoredRow>> => {
  const rows = await sql.all<StoredRow>(selectStored, [collectionId, from, from + batchMax]);
  return new Map(rows.map((row) => [row.key, row]));
};

const noRows: ReadonlyMap<OperationKey, StoredRow> = new Map();

/** Compares two rows. PostgreSQL returns a boolean where SQLite returns 0 or 1. */
const isUnchanged = (storedRow: StoredRow | undefined, row: StoredRow): boolean =>
  storedRow !== undefined &&
  storedColumns.every((name) => (name === 'deprecated' ? Boolean(storedRow[name]) : storedRow[name]) === row[name]);

const upsertOperation = upsertInto(OperationEntity, 'collectionId', 'key');
const deleteOperation = 'delete from operations where collection_id = ? and key = ?';
/**
 * Deletes in the order of positions, which is the order of the rows in the file: in the order of keys, most pages would
 * be modified many times per commit.
 */
const deleteBatch = `delete from operations where collection_id = ? and position <= (select max(position)
  from (select position from operations where collection_id = ? order by position limit ?) as first_ones)`;
const storedColumns = omitNames(columnsOf(OperationEntity), 'collectionId');
const selectStored = `select ${buildColumns('o', storedColumns)} from operations o
  where o.collection_id = ? and o.position >= ? and o.position < ?`;
const selectKeys = 'select key from operations where collection_id = ? and key > ? order by key limit ?';
const updateDigest = 'update collections set operations_digest = ? where id = ?';
