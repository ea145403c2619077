import type { Deadline } from '@portico/domain';

/** What a parameter may be, and a column. Instants and other 64-bit integers are numbers. */
export type Value = string | number | boolean | null | Uint8Array;

/** SQL that all dialects understand, with `?` for each parameter. What they say differently is in a dialect's folder. */
export interface Sql {
  all<Row>(text: string, parameters?: readonly Value[]): Promise<Row[]>;
  first<Row>(text: string, parameters?: readonly Value[]): Promise<Row | undefined>;
  /** Returns how many rows it changed. */
  run(text: string, parameters?: readonly Value[]): Promise<number>;
  /** The same statement for each of these. */
  runEach(text: string, parameters: readonly (readonly Value[])[]): Promise<void>;
}

/** A read of the hot paths, prepared once, with `?` for each parameter. */
export type PreparedRead<Answer> = (...parameters: readonly Value[]) => Promise<Answer>;

/** Prepares reads that see what `Database.reads` sees. */
export interface PreparedReads {
  all<Row>(text: string): PreparedRead<Row[]>;
  first<Row>(text: string): PreparedRead<Row | undefined>;
  /** As `first`, for rows of many columns, none of which has bytes. */
  wide<Row>(text: string): PreparedRead<Row | undefined>;
  /** Of rows of one column alone: its values. */
  column<Content>(text: string): PreparedRead<Content[]>;
}

/** One database, whichever it is. */
export interface SqlDatabase {
  /** Sees what was committed before the call, by anyone, and never a transaction that is open. */
  readonly reads: Sql;

  /** Reads as of one moment. `work` awaits nothing else. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /**
   * Works in one transaction as if nobody else wrote meanwhile, and answers once it is durable; what `work` throws rolls
   * it back. `work` may run more than once, and must not begin another transaction. Throws `timed_out` where the deadline expires
   * before its turn has come.
   */
  transact<T>(work: (transaction: Sql) => Promise<T>, deadline?: Deadline | null): Promise<T>;

  /**
   * Works in one transaction that does not wait for those of `transact`, nor they for it, and answers once it is durable.
   * For what is right whatever is written meanwhile: rows that are added, counters that grow, one conditional change.
   * `work` may run more than once, and must not begin another transaction.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;

  /** Writes a condition so that no index is chosen for it, where the database cannot tell by itself which index is the narrowest. */
  unindexed(condition: string): string;

  /** The table and columns (`profiles.email`) of the uniqueness that this vendor's error says was violated, or null. */
  violatedKey(error: unknown): string | null;
}
