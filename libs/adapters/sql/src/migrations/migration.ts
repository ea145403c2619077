/** The supported databases. Each has its own SQL for the same entities. */
export type Dialect = 'sqlite' | 'postgresql';

/** The statements of one migration, in order. */
export type DialectSql = Readonly<Record<Dialect, readonly string[]>>;

/** A migration that ran, and how long it took. */
export interface RanMigration {
  readonly name: string;
  readonly ms: number;
}

/** Runs a statement within the migration, with `?` for each parameter; returns the rows that it selects. */
export type Execute = (
  sql: string,
  parameters?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** What a migration computes that SQL cannot, after its statements. */
export type Fill = (execute: Execute, dialect: Dialect) => Promise<void>;
