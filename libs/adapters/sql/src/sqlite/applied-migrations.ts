import type { Database as Connection } from 'better-sqlite3';
import { migrationsTable, needsMigrations, rejectUnknown, type OutdatedSchemaPolicy } from '../migrations/index.ts';

/**
 * Returns whether migrations must run. Throws like `rejectForeign` and `needsMigrations`, and with SQLITE_BUSY while
 * another process writes. Acquires the lock of a migration, so that a database that cannot be written to is rejected.
 */
export const lacksMigrations = (connection: Connection, onOutdatedSchema: OutdatedSchemaPolicy): boolean => {
  connection.exec('begin immediate');
  try {
    rejectForeign(connection);
    return tablesOf(connection).length === 0 || needsMigrations(readAppliedNames(connection), onOutdatedSchema);
  } finally {
    connection.exec('rollback');
  }
};

/** Throws unless the tables come from this version or an earlier one. A database without any tables is new. */
export const rejectForeign = (connection: Connection, emptyDatabase: 'is new' | 'is foreign' = 'is new'): void => {
  const tables = tablesOf(connection);
  if (tables.length === 0 && emptyDatabase === 'is new') return;
  if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
  rejectUnknown(readAppliedNames(connection));
};

export const tablesOf = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();

/** Returns the names of the applied migrations, oldest first. */
export const readAppliedNames = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>('select name from schema_migrations order by id').pluck().all();
