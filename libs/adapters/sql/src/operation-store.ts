import { createYielder } from '@portico/dependencies';
import type {
  CollectionId,
  FoundOperation,
  Operation,
  OperationFilter,
  OperationPage,
  OperationStore,
  PlacedOperation,
} from '@portico/domain';
import { OperationEntity } from './entities/collection-entities.ts';
import { writeOperations } from './operation-writes.ts';
import type { SqlDatabase, Value } from './sql.ts';
import { columns, columnsOf, type Row, without } from './table.ts';

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
    list: listOn(database, isTagged),

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

    replace: (collectionId, documentDigest, operations) =>
      database.transact(async (transaction) => {
        const current = await transaction.first(selectCurrent, [collectionId, documentDigest]);
        if (!current) return false;
        await writeOperations(transaction, { collectionId, documentDigest, operations });
        return true;
      }),
  };
};

/** Lists them; many in portions, between which others have their turn. */
const listOn = (database: SqlDatabase, isTagged: string): OperationStore['list'] => {
  const listed = async (
    collectionId: CollectionId,
    filter: OperationFilter,
    page: OperationPage | null,
  ): Promise<readonly PlacedOperation[]> => {
    const [text, parameters] = listing(isTagged, collectionId, filter, page);
    const rows = await database.reads.all<OperationRow & Pick<PlacedOperation, 'position'>>(text, parameters);
    return rows.map(({ position, ...row }) => ({ ...operationOf(row), position }));
  };

  /** All of them, in portions. */
  const listedInPortions = async (collectionId: CollectionId, filter: OperationFilter) => {
    const yieldToEventLoop = createYielder();
    const all: PlacedOperation[] = [];
    for (let from = 0; ;) {
      const portion = await listed(collectionId, filter, { from, limit: rowsReadAtOnce });
      all.push(...portion);
      const last = portion.at(-1);
      if (!last || portion.length < rowsReadAtOnce) return all;
      from = last.position + 1;
      // SQLite calls are synchronous.
      await yieldToEventLoop();
    }
  };

  /** Changes with the stored document. */
  const stateOf = async (collectionId: CollectionId): Promise<string> =>
    JSON.stringify(await database.reads.first(selectState, [collectionId]));

  return async (collectionId, filter, page) => {
    if (page) return listed(collectionId, filter, page);
    const first = await listed(collectionId, filter, { from: 0, limit: rowsReadAtOnce });
    if (first.length < rowsReadAtOnce) return first;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const state = await stateOf(collectionId);
      const all = await listedInPortions(collectionId, filter);
      if ((await stateOf(collectionId)) === state) return all;
    }
    return listed(collectionId, filter, null);
  };
};

/** They take some 2 ms, during which SQLite holds the event loop. */
const rowsReadAtOnce = 512;
/** How often many are read in portions that turn out not to be of one document, before others wait for one statement. */
const attemptsMax = 3;

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

type OperationRow = Omit<Row<typeof OperationEntity>, 'collectionId' | 'position'>;

const operationColumns = without(columnsOf(OperationEntity), 'collectionId', 'position');
const containingColumns = ['o.path', 'o.operation_id', 'o.summary'];
const selected = columns('o', operationColumns);
/** A document that release 0.1.0 stored has none until its job has written them. */
const ofStoredDocument = 'c.id = o.collection_id and c.operations_digest = c.document_digest';
const fromStored = `from operations o join collections c on ${ofStoredDocument} where o.collection_id = ?`;
const selectAll = `select ${selected}, o.position ${fromStored}`;
const selectOne = `select ${selected} ${fromStored} and o.key = ?`;
const selectDeprecated = `select 1 ${fromStored} and o.deprecated = ? limit 1`;
const selectDigest = `select operations_digest as "digest" from collections
  where id = ? and operations_digest = document_digest`;
const selectState = `select operations_digest as "digest", revision as "revision" from collections where id = ?`;
const selectCurrent = 'select id from collections where id = ? and document_digest = ?';

/** As `lower` does on both databases. */
const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const operationOf = ({ tags, deprecated, ...row }: OperationRow): Operation => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  // SQLite stores a boolean as 0 or 1.
  deprecated: Boolean(deprecated),
});
