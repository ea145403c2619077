import { DatabaseOpenError } from '../database-fault.ts';
import type { Cell, MovedRow, MoveSource, RowReader } from './move.ts';
import type { MovedTable } from './moved-tables.ts';

/**
 * Compares every row of a table on both sides, in the order of their keys. Throws a `DatabaseOpenError` that names the
 * first row that is missing, too many or different.
 */
export const assertSameRows = async (
  table: MovedTable,
  source: Pick<MoveSource, 'name' | 'rows'>,
  target: { readonly name: string; readonly rows: RowReader },
  onRow: () => void,
): Promise<void> => {
  const [wanted, found] = [rowsOf(source.rows, table), rowsOf(target.rows, table)];
  try {
    for (;;) {
      const [left, right] = [await wanted.next(), await found.next()];
      if (left.done && right.done) break;
      if (left.done || right.done || !isSame(left.value, right.value)) {
        const row: MovedRow = left.done ? (right.value as MovedRow) : left.value;
        throw differs(source.name, target.name, `the row of ${table.name} with ${keyOf(table, row)}`);
      }
      onRow();
    }
  } finally {
    // Both, so that neither connection is left in the middle of a read.
    await wanted.return(undefined);
    await found.return(undefined);
  }
  if ((await source.rows.lastId(table)) !== (await target.rows.lastId(table)))
    throw differs(source.name, target.name, `the next ${table.identity ?? 'id'} of ${table.name}`);
};

const rowsOf = async function* (rows: RowReader, table: MovedTable): AsyncGenerator<MovedRow, undefined> {
  for await (const batch of rows.batches(table)) yield* batch;
};

const isSame = (left: MovedRow, right: MovedRow): boolean =>
  left.length === right.length && left.every((cell, at) => isSameCell(cell, right[at] ?? null));

const isSameCell = (left: Cell, right: Cell): boolean =>
  left instanceof Uint8Array && right instanceof Uint8Array ? Buffer.compare(left, right) === 0 : left === right;

/** The columns of a key with their values: `id "…"`. */
export const keyOf = ({ columns, key }: MovedTable, row: MovedRow): string =>
  key
    .map((name) => `${name} ${JSON.stringify(String(row[columns.findIndex((column) => column.name === name)]))}`)
    .join(', ');

const differs = (from: string, to: string, what: string): DatabaseOpenError =>
  new DatabaseOpenError(
    `${what} is not the same in ${from} and ${to}. Nothing uses the new database yet: run "portico migrate" again`,
  );
