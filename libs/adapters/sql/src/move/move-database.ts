import type { Log } from '@portico/dependencies';
import { DatabaseOpenError } from '../database-fault.ts';
import type { SqlConfig } from '../open-sql-stores.ts';
import { keyOf, assertSameRows } from './same-rows.ts';
import type { MovedRow, MoveSource, MoveTarget } from './move.ts';
import { movedTables, type MovedTable } from './moved-tables.ts';

/** The result of a move. The addresses contain no passwords. */
export interface MovedDatabase {
  readonly from: string;
  readonly to: string;
  /** Every table with its number of rows, in the order in which the tables were moved. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

export interface MoveOptions {
  readonly log: Log;
  /** Each row counts twice: once when it is copied, and once when it is compared. */
  readonly onProgress: (done: number, total: number, step: string) => void;
}

/**
 * Copies all rows of a database that is not in use into an empty one, compares every row, and only then lets processes
 * use the copy. The source is never written to. An incomplete target of an earlier run is filled from scratch. Throws
 * an error that names either the database that cannot be used and the reason, or the row that differs.
 */
export const moveDatabase = async (from: SqlConfig, to: SqlConfig, options: MoveOptions): Promise<MovedDatabase> => {
  const source = await openSource(from, options.log);
  try {
    const target = await openTarget(from, to, source, options.log);
    try {
      return await move(source, target, options.onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};

// Imported dynamically, so that the driver of a database that is not involved is never loaded.
const openSource = async (from: SqlConfig, log: Log): Promise<MoveSource> =>
  from.kind === 'sqlite'
    ? (await import('../sqlite/move-source.ts')).openSqliteSource(from.file)
    : (await import('../postgresql/move-source.ts')).openPostgresqlSource(from.url, log);

const openTarget = async (from: SqlConfig, to: SqlConfig, source: MoveSource, log: Log): Promise<MoveTarget> =>
  to.kind === 'sqlite'
    ? (await import('../sqlite/move-target.ts')).openSqliteTarget(
        to.file,
        source.name,
        from.kind === 'sqlite' ? from.file : null,
        log,
      )
    : (await import('../postgresql/move-target.ts')).openPostgresqlTarget(to.url, source, log);

const move = async (
  source: MoveSource,
  target: MoveTarget,
  onProgress: MoveOptions['onProgress'],
): Promise<MovedDatabase> => {
  const tables: { readonly table: string; readonly rows: number }[] = [];
  for (const table of movedTables) tables.push({ table: table.name, rows: await source.rows.count(table) });
  const total = 2 * tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const advance = (rows: number, step: string) => onProgress((done += rows), total, step);

  for (const table of movedTables)
    await copyTable(table, source, target, (rows) => advance(rows, `copying ${table.name}`));
  await target.withSnapshot(async (rows) => {
    for (const table of movedTables)
      await assertSameRows(table, source, { name: target.name, rows }, () => advance(1, `comparing ${table.name}`));
  });
  // A process that was started in the meantime would continue to use the old database.
  await source.rejectUse();
  await target.finish();
  return { from: source.name, to: target.name, tables };
};

const copyTable = async (
  table: MovedTable,
  source: MoveSource,
  target: MoveTarget,
  onRows: (rows: number) => void,
): Promise<void> => {
  for await (const rows of source.rows.readBatches(table)) {
    await target.insert(table, rows).catch((error: unknown) => {
      throw createInsertError(table, rows, target.name, error);
    });
    onRows(rows.length);
  }
  await target.setLastId(table, await source.rows.readLastId(table));
};

const createInsertError = (
  table: MovedTable,
  rows: readonly MovedRow[],
  name: string,
  cause: unknown,
): DatabaseOpenError => {
  const [firstRow = [], lastRow = firstRow] = [rows[0], rows.at(-1)];
  const range =
    firstRow === lastRow
      ? `with ${keyOf(table, firstRow)}`
      : `from ${keyOf(table, firstRow)} to ${keyOf(table, lastRow)}`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseOpenError(`${name} rejected the rows of ${table.name} ${range}: ${reason}`, { cause });
};
