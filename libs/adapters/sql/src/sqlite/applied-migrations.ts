import type { Database as Connection } from 'better-sqlite3';
import { migrationsTable, needsMigrations, refuseUnknown, type OlderTables } from '../migrations/index.ts';

/**
 * Returns whether migrations must run. Throws like `refuseForeign` and `needsMigrations`, and with SQLITE_BUSY while
 * another process writes. Acquires the lock of a migration, so that a database that cannot be written to is refused.
 */
export const lacksMigrations = (connection: Connection, older: OlderTables): boolean => {
  connection.exec('begin immediate');
  try {
    refuseForeign(connection);
    return tablesOf(connection).length === 0 || needsMigrations(appliedOn(connection), older);
  } finally {
    connection.exec('rollback');
  }
};

/** Throws unless the tables come from this version or an earlier one. A database without any tables is new. */
export const refuseForeign = (connection: Connection, empty: 'is new' | 'is foreign' = 'is new'): void => {
  const tables = tablesOf(connection);
  if (tables.length === 0 && empty === 'is new') return;
  if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
  refuseUnknown(appliedOn(connection));
};

export const tablesOf = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();

/** Returns the names of the applied migrations, oldest first. */
export const appliedOn = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>('select name from schema_migrations order by id').pluck().all();
