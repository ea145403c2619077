export { describeDatabaseFault, DatabaseUnavailableError } from './database-fault.ts';
export { openSqlStores } from './open-sql-stores.ts';
export type { SqlConfig, SqlOptions, SqlStores } from './open-sql-stores.ts';
export { inspectDatabase, type InspectedDatabase } from './inspect-database.ts';
export type { AppliedMigration } from './migrations/migration.ts';
export type { SettingsTable } from './settings-table.ts';

/** Loads an operation on a PostgreSQL database that does not use the stores, together with the driver. */
export const loadPostgresqlUsageCheck = () => import('./postgresql/reject-in-use.ts');
/** Loads operations on a SQLite database file that do not use the stores, together with the driver. */
export const loadSqliteFiles = () => import('./sqlite/sqlite-files.ts');
export { moveDatabase } from './move/move-database.ts';
export type { MovedDatabase, MoveOptions } from './move/move-database.ts';
