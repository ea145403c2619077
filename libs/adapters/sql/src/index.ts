export { databaseFault, DatabaseUnavailableError } from './database-fault.ts';
export { openSqlStores } from './open-sql-stores.ts';
export type { SqlConfig, SqlOptions, SqlStores } from './open-sql-stores.ts';
export { inspectDatabase, type InspectedDatabase } from './inspect-database.ts';
export type { AppliedMigration } from './migrations/migration.ts';
export type { SettingsTable } from './settings-table.ts';

/** An operation on a PostgreSQL database outside of its stores. Loads the driver. */
export const postgresqlInUse = () => import('./postgresql/refuse-used.ts');
/** Operations on the file of a SQLite database outside of its stores. Loads the driver. */
export const sqliteFiles = () => import('./sqlite/sqlite-files.ts');
export { moveDatabase } from './move/move-database.ts';
export type { MovedDatabase, MoveOptions } from './move/move-database.ts';
