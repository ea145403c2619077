import type { Database as Connection } from 'better-sqlite3';
import { batchBytes, batchRows, toInteger, type Cell, type MovedRow, type RowReader } from '../move/move.ts';
import type { MovedColumn, MovedTable } from '../move/moved-tables.ts';
import { countRows, selectRows } from '../move/statements.ts';

/** Returns a reader on a connection that has a consistent state because of its transaction or its lock. */
export const createSqliteRows = (connection: Connection): RowReader => ({
  async count(table) {
    return connection.prepare<[], number>(countRows(table)).pluck().get() ?? 0;
  },

  async *readBatches(table) {
    let batch: MovedRow[] = [];
    let bytes = 0;
    for (const values of connection.prepare<[], unknown[]>(selectRows(table)).raw().safeIntegers().iterate()) {
      const row = values.map((value, index) => cellOf(value, table.columns[index]));
      const size = bytesOf(row);
      if (batch.length === batchRows || (batch.length > 0 && bytes + size > batchBytes)) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(row);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  },

  async readLastId({ name, identity }: MovedTable) {
    if (identity === null) return 0;
    return (
      connection.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck().get(name) ?? 0
    );
  },
});

/** Converts a value to a cell: SQLite has no booleans. */
const cellOf = (value: unknown, column: MovedColumn | undefined): Cell => {
  if (typeof value !== 'bigint') return value as Cell;
  return column?.kind === 'boolean' && (value === 0n || value === 1n) ? value === 1n : toInteger(value);
};

const bytesOf = (row: MovedRow): number =>
  row.reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8),
    0,
  );
