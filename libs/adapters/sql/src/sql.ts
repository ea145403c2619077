import type { Deadline } from '@portico/domain';

/** The type of a parameter or column. Instants and other 64-bit integers are numbers. */
export type Value = string | number | boolean | null | Uint8Array;

/**
 * Runs SQL that all dialects understand, with `?` for each parameter. Other SQL is in the folder of the respective
 * dialect.
 */
export interface Sql {
  all<Row>(text: string, parameters?: readonly Value[]): Promise<Row[]>;
  first<Row>(text: string, parameters?: readonly Value[]): Promise<Row | undefined>;
  /** Returns the number of rows changed. */
  run(text: string, parameters?: readonly Value[]): Promise<number>;
  /** Runs the statement once for each set of parameters. */
  runEach(text: string, parameters: readonly (readonly Value[])[]): Promise<void>;
}

/** A read of a hot path, prepared once, with `?` for each parameter. */
export type PreparedRead<Result> = (...parameters: readonly Value[]) => Promise<Result>;

/** Prepares reads that see the same data as `SqlDatabase.reads`. */
export interface PreparedReads {
  prepareAll<Row>(text: string): PreparedRead<Row[]>;
  prepareFirst<Row>(text: string): PreparedRead<Row | undefined>;
  /** Like `prepareFirst`, for a row of several megabytes; other reads do not wait for it. */
  prepareLarge<Row>(text: string): PreparedRead<Row | undefined>;
  /** Returns the values of a single column. */
  prepareColumn<Content>(text: string): PreparedRead<Content[]>;
}

/** One database, of either dialect. */
export interface SqlDatabase {
  /** Sees all data that any process committed before the call, and never an open transaction. */
  readonly reads: Sql;

  /** Reads a consistent snapshot. `work` must await nothing but these reads. */
  withSnapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /**
   * Runs `work` in one transaction, isolated from all other `transact` calls, and resolves once it is durable. An error
   * that `work` throws rolls the transaction back. `work` may run more than once, and must not begin another
   * transaction. Throws `timed_out` if the deadline expires before the transaction starts.
   */
  transact<T>(work: (transaction: Sql) => Promise<T>, deadline?: Deadline | null): Promise<T>;

  /**
   * Runs `work` in one transaction that neither waits for `transact` calls nor blocks them, and resolves once it is
   * durable. For writes that are correct regardless of concurrent ones: inserting rows, incrementing counters, a single
   * conditional change. `work` may run more than once, and must not begin another transaction.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /**
   * Rewrites a condition so that no index is used for it, for databases that cannot determine the most selective index.
   */
  disableIndex(condition: string): string;

  /**
   * Returns the table and column (such as `profiles.email`) of the uniqueness violation that this vendor's error
   * reports, or null.
   */
  findViolatedKey(error: unknown): string | null;
}
