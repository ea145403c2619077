import { createYielder } from '@portico/dependencies';
import type { CollectionId, Operation, OperationKey } from '@portico/domain';
import { OperationEntity } from './entities/collection-entities.ts';
import type { Sql } from './sql.ts';
import { columns, columnsOf, type Row, upsertInto, without, writeEach } from './table.ts';

/** The operations of a document that is stored. */
export interface OperationsOfDocument {
  readonly collectionId: CollectionId;
  readonly documentDigest: string;
  readonly operations: readonly Operation[];
}

/** Stores the operations of a document in place of those of an earlier one, in the transaction that stores the document. */
export const writeOperations = async (sql: Sql, document: OperationsOfDocument): Promise<void> => {
  const { collectionId, documentDigest } = document;
  for await (const lot of lotsOf(sql, document)) await writeLot(sql, lot);
  await sql.run(setDigest, [documentDigest, collectionId]);
};

/**
 * Deletes the operations of a collection before it is itself deleted, in the same transaction. Its foreign key would
 * delete all of them at once, during which SQLite holds the event loop.
 */
export const deleteOperations = async (sql: Sql, id: CollectionId): Promise<void> => {
  const yieldToEventLoop = createYielder();
  while ((await sql.run(deleteSome, [id, id, lotMax])) >= lotMax) await yieldToEventLoop();
};

/**
 * How many are written or deleted at once: some 5 to 20 ms, during which SQLite holds the event loop. With more turns those
 * who wait for the transaction would wait longer.
 */
const lotMax = 2_048;

type OperationRow = Row<typeof OperationEntity>;
type StoredRow = Omit<OperationRow, 'collectionId'>;

interface Lot {
  readonly changed: readonly OperationRow[];
  readonly gone: readonly (readonly [CollectionId, OperationKey])[];
}

/** Only what differs: most documents replace one with almost the same operations, and others' changes wait for this one. */
async function* lotsOf(sql: Sql, { collectionId, operations }: OperationsOfDocument): AsyncGenerator<Lot> {
  const yieldToEventLoop = createYielder();
  const keys = new Set(operations.map(({ key }) => key));
  let areSomeStored = false;
  for await (const stored of storedKeys(sql, collectionId)) {
    areSomeStored ||= stored.length > 0;
    const gone = stored.filter((key) => !keys.has(key)).map((key) => [collectionId, key] as const);
    if (gone.length > 0) yield { changed: [], gone };
  }
  for (let from = 0; from < operations.length; from += lotMax) {
    await yieldToEventLoop();
    const before = areSomeStored ? await storedRows(sql, collectionId, from) : nothing;
    const changed = operations
      .slice(from, from + lotMax)
      .map((operation, at) => ({
        ...operation,
        collectionId,
        position: from + at,
        tags: JSON.stringify(operation.tags),
      }))
      .filter((row) => !isSame(before.get(row.key), row));
    if (changed.length > 0) yield { changed, gone: [] };
  }
}

const writeLot = async (sql: Sql, { changed, gone }: Lot): Promise<void> => {
  await writeEach(sql, upsertOperation, changed);
  await sql.runEach(deleteOperation, gone);
};

async function* storedKeys(sql: Sql, collectionId: CollectionId): AsyncGenerator<readonly OperationKey[]> {
  const yieldToEventLoop = createYielder();
  for (let after: OperationKey | '' = ''; ;) {
    const rows: readonly Pick<StoredRow, 'key'>[] = await sql.all(selectKeys, [collectionId, after, lotMax]);
    yield rows.map(({ key }) => key);
    const last = rows.at(-1);
    if (!last || rows.length < lotMax) return;
    after = last.key;
    // SQLite calls are synchronous.
    await yieldToEventLoop();
  }
}

/** Those of the positions of a lot: a row that stands elsewhere differs. */
const storedRows = async (
  sql: Sql,
  collectionId: CollectionId,
  from: number,
): Promise<ReadonlyMap<OperationKey, StoredRow>> => {
  const rows = await sql.all<StoredRow>(selectStored, [collectionId, from, from + lotMax]);
  return new Map(rows.map((row) => [row.key, row]));
};

const nothing: ReadonlyMap<OperationKey, StoredRow> = new Map();

/** PostgreSQL returns a boolean where SQLite returns 0 or 1. */
const isSame = (stored: StoredRow | undefined, row: StoredRow): boolean =>
  stored !== undefined &&
  storedColumns.every((name) => (name === 'deprecated' ? Boolean(stored[name]) : stored[name]) === row[name]);

const upsertOperation = upsertInto(OperationEntity, 'collectionId', 'key');
const deleteOperation = 'delete from operations where collection_id = ? and key = ?';
/** From the first position on, as they lie in the file: by key most pages would change again and again, up to the commit. */
const deleteSome = `delete from operations where collection_id = ? and position <= (select max(position)
  from (select position from operations where collection_id = ? order by position limit ?) as first_ones)`;
const storedColumns = without(columnsOf(OperationEntity), 'collectionId');
const selectStored = `select ${columns('o', storedColumns)} from operations o
  where o.collection_id = ? and o.position >= ? and o.position < ?`;
const selectKeys = 'select key from operations where collection_id = ? and key > ? order by key limit ?';
const setDigest = 'update collections set operations_digest = ? where id = ?';
