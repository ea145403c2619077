export { databaseFault } from './database-fault.ts';
export { DatabaseUnavailableError } from './database-unavailable-error.ts';
export { openSqlStores } from './open-sql-stores.ts';
export type { SqlConfig, SqlOptions, SqlStores } from './open-sql-stores.ts';
export type { Settings } from './settings.ts';
