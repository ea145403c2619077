import { createYielder } from '@portico/dependencies';
import type {
  CollectionId,
  OperationWithCollection,
  Operation,
  OperationFilter,
  OperationPage,
  OperationStore,
  PositionedOperation,
} from '@portico/domain';
import { OperationEntity } from './entities/collection-entities.ts';
import { writeOperations } from './operation-writes.ts';
import type { SqlDatabase, Value } from './sql.ts';
import { buildColumns, columnsOf, type Row, omitNames } from './table.ts';

export const createSqlOperationStore = (
  database: SqlDatabase,
  /** `idsInJson` is SQL that selects the strings of the JSON array passed as its `?`. */
  { idsInJson }: { readonly idsInJson: string },
): OperationStore => {
  const isTagged = `? in (${idsInJson.replace('?', 'o.tags')})`;
  const selectMany = `with wanted (name) as (${idsInJson})
    select ${buildColumns('o', ['collectionId', ...operationColumns])}, c.name as "collectionName"
    from wanted join operations o on o.collection_id = substr(wanted.name, 1, 36) and o.key = substr(wanted.name, 38)
    join collections c on ${isOfStoredDocument}`;

  return {
    list: createList(database, isTagged),

    async find(collectionId, key) {
      const row = await database.reads.first<OperationRow>(selectOne, [collectionId, key]);
      return row ? operationOf(row) : null;
    },

    async findMany(names) {
      const namesJson = JSON.stringify(names.map(({ collectionId, key }) => `${collectionId} ${key}`));
      const rows = await database.reads.all<OperationRow & Omit<OperationWithCollection, keyof Operation>>(selectMany, [
        namesJson,
      ]);
      return rows.map(({ collectionId, collectionName, ...row }) => ({
        ...operationOf(row),
        collectionId,
        collectionName,
      }));
    },

    async areAllDeprecated(collectionId) {
      const hasAny = async (deprecated: boolean) =>
        (await database.reads.first(selectDeprecated, [collectionId, deprecated])) !== undefined;
      return !(await hasAny(false)) && hasAny(true);
    },

    async findDigest(collectionId) {
      return (await database.reads.first<{ digest: string | null }>(selectDigest, [collectionId]))?.digest ?? null;
    },

    replace: (collectionId, documentDigest, operations) =>
      database.transact(async (transaction) => {
        const current = await transaction.first(selectCurrent, [collectionId, documentDigest]);
        if (!current) return false;
        await writeOperations(transaction, { collectionId, documentDigest, operations });
        return true;
      }),
  };
};

/**
 * Creates the function that lists operations. Many operations are read in batches, yielding to the event loop in
 * between.
 */
const createList = (database: SqlDatabase, isTagged: string): OperationStore['list'] => {
  const readPage = async (
    collectionId: CollectionId,
    filter: OperationFilter,
    page: OperationPage | null,
  ): Promise<readonly PositionedOperation[]> => {
    const [text, parameters] = buildListStatement(isTagged, collectionId, filter, page);
    const rows = await database.reads.all<OperationRow & Pick<PositionedOperation, 'position'>>(text, parameters);
    return rows.map(({ position, ...row }) => ({ ...operationOf(row), position }));
  };

  /** Reads all operations in batches. */
  const readInBatches = async (collectionId: CollectionId, filter: OperationFilter) => {
    const yieldToEventLoop = createYielder();
    const operations: PositionedOperation[] = [];
    for (let from = 0; ;) {
      const batch = await readPage(collectionId, filter, { from, limit: batchSize });
      operations.push(...batch);
      const lastOperation = batch.at(-1);
      if (!lastOperation || batch.length < batchSize) return operations;
      from = lastOperation.position + 1;
      // SQLite calls are synchronous.
      await yieldToEventLoop();
    }
  };

  /** Returns a state that changes with the stored document. */
  const readState = async (collectionId: CollectionId): Promise<string> =>
    JSON.stringify(await database.reads.first(selectState, [collectionId]));

  return async (collectionId, filter, page) => {
    if (page) return readPage(collectionId, filter, page);
    const firstBatch = await readPage(collectionId, filter, { from: 0, limit: batchSize });
    if (firstBatch.length < batchSize) return firstBatch;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const state = await readState(collectionId);
      const operations = await readInBatches(collectionId, filter);
      if ((await readState(collectionId)) === state) return operations;
    }
    return readPage(collectionId, filter, null);
  };
};

/** A batch takes about 2 ms, during which SQLite blocks the event loop. */
const batchSize = 512;
/**
 * The number of attempts to read all batches from a single document version. After that, one statement reads
 * everything, which blocks the event loop.
 */
const attemptsMax = 3;

/** Returns the statement that lists operations, and its parameters. */
const buildListStatement = (
  isTagged: string,
  collectionId: CollectionId,
  { tag, containing }: OperationFilter,
  page: OperationPage | null,
): readonly [text: string, parameters: readonly Value[]] => {
  const containsCondition = containingColumns.map((column) => `lower(${column}) like ? escape '!'`).join(' or ');
  const pattern = `%${toAsciiLowerCase(containing ?? '').replace(/[!%_]/g, '!$&')}%`;
  const parts: readonly (readonly [text: string, ...parameters: Value[]])[] = [
    [selectAll, collectionId],
    ...(page ? [[' and o.position >= ?', page.from] as const] : []),
    ...(tag === null ? [] : [[` and ${isTagged}`, tag] as const]),
    ...(containing === null ? [] : [[` and (${containsCondition})`, ...containingColumns.map(() => pattern)] as const]),
    [' order by o.position'],
    ...(page ? [[' limit ?', page.limit] as const] : []),
  ];
  return [parts.map(([text]) => text).join(''), parts.flatMap(([, ...parameters]) => parameters)];
};

type OperationRow = Omit<Row<typeof OperationEntity>, 'collectionId' | 'position'>;

const operationColumns = omitNames(columnsOf(OperationEntity), 'collectionId', 'position');
const containingColumns = ['o.path', 'o.operation_id', 'coalesce(o.summary, o.excerpt)'];
const columnList = buildColumns('o', operationColumns);
/** A document that release 0.1.0 stored has no operations until its job has written them. */
const isOfStoredDocument = 'c.id = o.collection_id and c.operations_digest = c.document_digest';
const fromStored = `from operations o join collections c on ${isOfStoredDocument} where o.collection_id = ?`;
const selectAll = `select ${columnList}, o.position ${fromStored}`;
const selectOne = `select ${columnList} ${fromStored} and o.key = ?`;
const selectDeprecated = `select 1 ${fromStored} and o.deprecated = ? limit 1`;
const selectDigest = `select operations_digest as "digest" from collections
  where id = ? and operations_digest = document_digest`;
const selectState = `select operations_digest as "digest", revision as "revision" from collections where id = ?`;
const selectCurrent = 'select id from collections where id = ? and document_digest = ?';

/** Lowercases only ASCII letters, as `lower` does on both databases. */
const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const operationOf = ({ tags, deprecated, ...row }: OperationRow): Operation => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  // SQLite stores a boolean as 0 or 1.
  deprecated: Boolean(deprecated),
});
