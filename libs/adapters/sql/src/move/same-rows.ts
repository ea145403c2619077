import { DatabaseOpenError } from '../database-fault.ts';
import type { Cell, MovedRow, MoveSource, RowReader } from './move.ts';
import type { MovedTable } from './moved-tables.ts';

/**
 * Compares every row of a table on both sides, in the order of the keys. Throws a `DatabaseOpenError` that names the
 * first row that is missing, extra or different.
 */
export const assertSameRows = async (
  table: MovedTable,
  source: Pick<MoveSource, 'name' | 'rows'>,
  target: { readonly name: string; readonly rows: RowReader },
  onRow: () => void,
): Promise<void> => {
  const [sourceRows, targetRows] = [rowsOf(source.rows, table), rowsOf(target.rows, table)];
  try {
    for (;;) {
      const [left, right] = [await sourceRows.next(), await targetRows.next()];
      if (left.done && right.done) break;
      if (left.done || right.done || !areSameRows(left.value, right.value)) {
        const row: MovedRow = left.done ? (right.value as MovedRow) : left.value;
        throw createDifferenceError(source.name, target.name, `the row of ${table.name} with ${keyOf(table, row)}`);
      }
      onRow();
    }
  } finally {
    // Close both, so that neither connection is left in the middle of a read.
    await sourceRows.return(undefined);
    await targetRows.return(undefined);
  }
  if ((await source.rows.readLastId(table)) !== (await target.rows.readLastId(table)))
    throw createDifferenceError(source.name, target.name, `the next ${table.identity ?? 'id'} of ${table.name}`);
};

const rowsOf = async function* (rows: RowReader, table: MovedTable): AsyncGenerator<MovedRow, undefined> {
  for await (const batch of rows.readBatches(table)) yield* batch;
};

const areSameRows = (left: MovedRow, right: MovedRow): boolean =>
  left.length === right.length && left.every((cell, index) => areSameCells(cell, right[index] ?? null));

const areSameCells = (left: Cell, right: Cell): boolean =>
  left instanceof Uint8Array && right instanceof Uint8Array ? Buffer.compare(left, right) === 0 : left === right;

/** Returns the key columns of a row with their values: `id "…"`. */
export const keyOf = ({ columns, key }: MovedTable, row: MovedRow): string =>
  key
    .map((name) => `${name} ${JSON.stringify(String(row[columns.findIndex((column) => column.name === name)]))}`)
    .join(', ');

const createDifferenceError = (from: string, to: string, subject: string): DatabaseOpenError =>
  new DatabaseOpenError(
    `${subject} differs between ${from} and ${to}. The new database is not in use yet: run "portico migrate" again`,
  );
