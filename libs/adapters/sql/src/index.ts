export { databaseFault, DatabaseUnavailableError } from './database-fault.ts';
export { openSqlStores } from './open-sql-stores.ts';
export type { SqlConfig, SqlOptions, SqlStores } from './open-sql-stores.ts';
export type { SettingsTable } from './settings-table.ts';

/** What is done with the file of a SQLite database from outside; its driver is loaded for it. */
export const sqliteFiles = () => import('./sqlite/sqlite-files.ts');
