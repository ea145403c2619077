/** The supported databases. Each has its own SQL for the same entities. */
export type Dialect = 'sqlite' | 'postgresql';

/** The statements of one migration, in order. */
export type DialectSql = Readonly<Record<Dialect, readonly string[]>>;

/** A migration that ran, and how long it took. */
export interface RanMigration {
  readonly name: string;
  readonly ms: number;
}
