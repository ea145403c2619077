export { databaseFault, DatabaseUnavailableError } from './database-fault.ts';
export { openSqlStores } from './open-sql-stores.ts';
export type { SqlConfig, SqlOptions, SqlStores } from './open-sql-stores.ts';
export { inspectDatabase, type InspectedDatabase } from './inspect-database.ts';
export type { AppliedMigration } from './migrations/migration.ts';
export type { SettingsTable } from './settings-table.ts';

/** Loads an operation on a PostgreSQL database that does not use the stores, together with the driver. */
export const postgresqlInUse = () => import('./postgresql/refuse-used.ts');
/** Loads operations on a SQLite database file that do not use the stores, together with the driver. */
export const sqliteFiles = () => import('./sqlite/sqlite-files.ts');
export { moveDatabase } from './move/move-database.ts';
export type { MovedDatabase, MoveOptions } from './move/move-database.ts';
