/** The supported databases. Each has its own SQL for the same entities. */
export type Dialect = 'sqlite' | 'postgresql';

/** The statements of one migration, in order. */
export type DialectSql = Readonly<Record<Dialect, readonly string[]>>;

/** A migration that ran, and its duration. */
export interface AppliedMigration {
  readonly name: string;
  readonly ms: number;
}

/** Runs a statement within the migration, with `?` for each parameter; returns the selected rows. */
export type Execute = (
  sql: string,
  parameters?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The part of a migration that SQL cannot compute. Runs after its statements. */
export type DataMigration = (execute: Execute, dialect: Dialect) => Promise<void>;
