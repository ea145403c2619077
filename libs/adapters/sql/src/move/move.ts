import type { Value } from '../sql.ts';
import type { MovedTable } from './moved-tables.ts';

/** A column's value, independent of the dialect that it was read from. An integer beyond 2^53 is a bigint. */
export type Cell = Value | bigint;

/** The cells of a row, in the order of the table's columns. */
export type MovedRow = readonly Cell[];

/** Reads the tables of a database in a consistent state. */
export interface RowReader {
  count(table: MovedTable): Promise<number>;
  /** Reads all rows in the order of their keys. A batch has one row, or at most `batchBytes` and `batchRows`. */
  readBatches(table: MovedTable): AsyncIterable<readonly MovedRow[]>;
  /**
   * Returns the last value generated for the table's identity column, even if that row was deleted; 0 if there is none.
   */
  readLastId(table: MovedTable): Promise<number>;
}

/** The database to move. It is never written to, and no other process uses it while it is open here. */
export interface MoveSource {
  /** The address without the password. */
  readonly name: string;
  readonly rows: RowReader;
  /**
   * The key of an advisory lock that is held: a PostgreSQL database where this key is locked is this database. Null on
   * SQLite.
   */
  readonly lockKey: string | null;
  /** Throws if a process uses the database. */
  rejectUse(): Promise<void>;
  close(): Promise<void>;
}

/** The database to fill. It has all tables, without rows, and a mark that makes every process reject it. */
export interface MoveTarget {
  readonly name: string;
  insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  setLastId(table: MovedTable, id: number): Promise<void>;
  withSnapshot<T>(work: (rows: RowReader) => Promise<T>): Promise<T>;
  /** Completes the tables and removes the mark, in one transaction. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** The maximum size of a batch, which bounds memory use regardless of the size of documents and blocks of vectors. */
export const batchBytes = 4 * 2 ** 20;
export const batchRows = 500;

/** Converts a 64-bit integer to the form that the reader of every dialect returns. */
export const toInteger = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};
