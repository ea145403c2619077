import type { Deadline } from '@portico/domain';

/** The type of a parameter or column. Instants and other 64-bit integers are numbers. */
export type Value = string | number | boolean | null | Uint8Array;

/** SQL that all dialects understand, with `?` for each parameter. What differs is in the dialect's folder. */
export interface Sql {
  all<Row>(text: string, parameters?: readonly Value[]): Promise<Row[]>;
  first<Row>(text: string, parameters?: readonly Value[]): Promise<Row | undefined>;
  /** Returns the number of rows changed. */
  run(text: string, parameters?: readonly Value[]): Promise<number>;
  /** Runs the statement once for each set of parameters. */
  runEach(text: string, parameters: readonly (readonly Value[])[]): Promise<void>;
}

/** A read of a hot path, prepared once, with `?` for each parameter. */
export type PreparedRead<Answer> = (...parameters: readonly Value[]) => Promise<Answer>;

/** Prepares reads that see what `Database.reads` sees. */
export interface PreparedReads {
  all<Row>(text: string): PreparedRead<Row[]>;
  first<Row>(text: string): PreparedRead<Row | undefined>;
  /** As `first`, for a row of some megabytes, which other reads do not wait for. */
  large<Row>(text: string): PreparedRead<Row | undefined>;
  /** Returns the values of a single column. */
  column<Content>(text: string): PreparedRead<Content[]>;
}

/** One database, of either dialect. */
export interface SqlDatabase {
  /** Sees what anyone committed before the call, and never an open transaction. */
  readonly reads: Sql;

  /** Reads a consistent snapshot. `work` awaits nothing but these reads. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /**
   * Runs `work` in one transaction, isolated from all other `transact` calls, and resolves once it is durable. An error
   * that `work` throws rolls it back. `work` may run more than once, and must not begin another transaction. Throws
   * `timed_out` if the deadline expires before its turn.
   */
  transact<T>(work: (transaction: Sql) => Promise<T>, deadline?: Deadline | null): Promise<T>;

  /**
   * Runs `work` in one transaction that neither waits for those of `transact` nor blocks them, and resolves once it is
   * durable. For writes that are right regardless of concurrent ones: inserted rows, growing counters, one conditional
   * change. `work` may run more than once, and must not begin another transaction.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /** Rewrites a condition so that no index is chosen for it, for databases that cannot tell which index is the narrowest. */
  unindexed(condition: string): string;

  /** The table and column (`profiles.email`) of the uniqueness violated by this vendor's error, or null. */
  violatedKey(error: unknown): string | null;
}
