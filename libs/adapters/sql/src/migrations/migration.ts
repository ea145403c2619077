/** The databases that the tables are laid out for; PostgreSQL has its own SQL beside SQLite's, of the same entities. */
export type Dialect = 'sqlite';

/** The statements of one migration, in their order. */
export type DialectSql = Readonly<Record<Dialect, readonly string[]>>;
