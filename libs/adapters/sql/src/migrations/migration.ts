/** The databases that the tables are laid out for, each in its own SQL, of the same entities. */
export type Dialect = 'sqlite' | 'postgresql';

/** The statements of one migration, in their order. */
export type DialectSql = Readonly<Record<Dialect, readonly string[]>>;
