import { setImmediate } from 'node:timers/promises';
import type {
  CollectionId,
  FoundOperation,
  Operation,
  OperationFilter,
  OperationKey,
  OperationPage,
  OperationStore,
  PlacedOperation,
} from '@portico/domain';
import { OperationEntity } from './entities/collection-entities.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { columns, columnsOf, type Row, upsertInto, without, writeEach } from './table.ts';

export const createSqlOperationStore = (
  database: SqlDatabase,
  /** `idsInJson` selects the strings of the JSON array passed as its `?`. */
  { idsInJson }: { readonly idsInJson: string },
): OperationStore => {
  const isTagged = `? in (${idsInJson.replace('?', 'o.tags')})`;
  const selectFound = `with wanted (name) as (${idsInJson})
    select ${columns('o', ['collectionId', ...operationColumns])}, c.name as "collectionName"
    from wanted join operations o on o.collection_id = substr(wanted.name, 1, 36) and o.key = substr(wanted.name, 38)
    join collections c on ${ofStoredDocument}`;

  return {
    async list(collectionId, filter, page) {
      const [text, parameters] = listing(isTagged, collectionId, filter, page);
      const rows = await database.reads.all<OperationRow & Pick<PlacedOperation, 'position'>>(text, parameters);
      return rows.map(({ position, ...row }) => ({ ...operationOf(row), position }));
    },

    async find(collectionId, key) {
      const row = await database.reads.first<OperationRow>(selectOne, [collectionId, key]);
      return row ? operationOf(row) : null;
    },

    async found(names) {
      const wanted = JSON.stringify(names.map(({ collectionId, key }) => `${collectionId} ${key}`));
      const rows = await database.reads.all<OperationRow & Omit<FoundOperation, keyof Operation>>(selectFound, [
        wanted,
      ]);
      return rows.map(({ collectionId, collectionName, ...row }) => ({
        ...operationOf(row),
        collectionId,
        collectionName,
      }));
    },

    async areAllDeprecated(collectionId) {
      const areSome = async (deprecated: boolean) =>
        (await database.reads.first(selectDeprecated, [collectionId, deprecated])) !== undefined;
      return !(await areSome(false)) && areSome(true);
    },

    async digest(collectionId) {
      return (await database.reads.first<{ digest: string | null }>(selectDigest, [collectionId]))?.digest ?? null;
    },

    async replace(collectionId, documentDigest, operations) {
      return database.transact(async (transaction) => {
        const current = await transaction.first(selectCurrent, [collectionId, documentDigest]);
        if (current) await writeOperations(transaction, collectionId, documentDigest, operations);
        return current !== undefined;
      });
    },
  };
};

/** The statement that lists operations, and its parameters. */
const listing = (
  isTagged: string,
  collectionId: CollectionId,
  { tag, containing }: OperationFilter,
  page: OperationPage | null,
): readonly [text: string, parameters: readonly Value[]] => {
  const contains = containingColumns.map((column) => `lower(${column}) like ? escape '!'`).join(' or ');
  const pattern = `%${lowered(containing ?? '').replace(/[!%_]/g, '!$&')}%`;
  const parts: readonly (readonly [text: string, ...parameters: Value[]])[] = [
    [selectAll, collectionId],
    ...(page ? [[' and o.position >= ?', page.from] as const] : []),
    ...(tag === null ? [] : [[` and ${isTagged}`, tag] as const]),
    ...(containing === null ? [] : [[` and (${contains})`, ...containingColumns.map(() => pattern)] as const]),
    [' order by o.position'],
    ...(page ? [[' limit ?', page.limit] as const] : []),
  ];
  return [parts.map(([text]) => text).join(''), parts.flatMap(([, ...parameters]) => parameters)];
};

/**
 * Stores the operations of a document in place of those of an earlier one. Writes only what differs: most documents
 * replace one with almost the same operations, and everybody's changes wait for this one.
 */
export const writeOperations = async (
  sql: Sql,
  collectionId: CollectionId,
  documentDigest: string,
  operations: readonly Operation[],
): Promise<void> => {
  const before = await storedRows(sql, collectionId);
  for (let from = 0; from < operations.length; from += rowsWrittenAtOnce) {
    const changed: Row<typeof OperationEntity>[] = [];
    for (const [at, operation] of operations.slice(from, from + rowsWrittenAtOnce).entries()) {
      const row = { ...operation, collectionId, position: from + at, tags: JSON.stringify(operation.tags) };
      const stored = before.get(row.key);
      before.delete(row.key);
      if (!stored || !isSame(stored, row)) changed.push(row);
    }
    await writeEach(sql, upsertOperation, changed);
    if (from + rowsWrittenAtOnce < operations.length) await setImmediate();
  }
  await sql.runEach(
    deleteOperation,
    Array.from(before.keys(), (key) => [collectionId, key]),
  );
  await sql.run('update collections set operations_digest = ? where id = ?', [documentDigest, collectionId]);
};

type StoredRow = Omit<Row<typeof OperationEntity>, 'collectionId'>;

const storedRows = async (sql: Sql, collectionId: CollectionId): Promise<Map<OperationKey, StoredRow>> => {
  const rows = new Map<OperationKey, StoredRow>();
  for (let after = ''; ;) {
    const read = await sql.all<StoredRow>(selectStored, [collectionId, after, rowsAtOnce]);
    for (const row of read) rows.set(row.key, row);
    const last = read.at(-1);
    if (!last || read.length < rowsAtOnce) return rows;
    after = last.key;
    // SQLite calls are synchronous.
    await setImmediate();
  }
};

const rowsAtOnce = 2_000;

/** They take some 10 ms, during which SQLite holds the event loop. PostgreSQL takes as many in one statement. */
const rowsWrittenAtOnce = 1_024;

/** PostgreSQL returns a boolean where SQLite returns 0 or 1. */
const isSame = (stored: StoredRow, row: StoredRow): boolean =>
  storedColumns.every((name) => (name === 'deprecated' ? Boolean(stored[name]) : stored[name]) === row[name]);

type OperationRow = Omit<Row<typeof OperationEntity>, 'collectionId' | 'position'>;

const upsertOperation = upsertInto(OperationEntity, 'collectionId', 'key');
const deleteOperation = 'delete from operations where collection_id = ? and key = ?';
const storedColumns = without(columnsOf(OperationEntity), 'collectionId');
const selectStored = `select ${columns('o', storedColumns)} from operations o
  where o.collection_id = ? and o.key > ? order by o.key limit ?`;
const operationColumns = without(columnsOf(OperationEntity), 'collectionId', 'position');
const containingColumns = ['o.path', 'o.operation_id', 'o.summary'];
const selected = columns('o', operationColumns);
/** Not those that were left by a version that changes documents without their operations. */
const ofStoredDocument = 'c.id = o.collection_id and c.operations_digest = c.document_digest';
const fromStored = `from operations o join collections c on ${ofStoredDocument} where o.collection_id = ?`;
const selectAll = `select ${selected}, o.position ${fromStored}`;
const selectOne = `select ${selected} ${fromStored} and o.key = ?`;
const selectDeprecated = `select 1 ${fromStored} and o.deprecated = ? limit 1`;
const selectDigest = 'select operations_digest as "digest" from collections where id = ?';
const selectCurrent = 'select id from collections where id = ? and document_digest = ?';

/** As `lower` does on both databases. */
const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const operationOf = ({ tags, deprecated, ...row }: OperationRow): Operation => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  // SQLite stores a boolean as 0 or 1.
  deprecated: Boolean(deprecated),
});
