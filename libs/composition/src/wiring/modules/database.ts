import { openSqlStores } from '@portico/sql';
import { Closable, type Module } from '../parts.ts';

/** The stores, on SQLite or on PostgreSQL. */
export const databaseModule: Module = (provide) => {
  provide('database', ['config', 'logger'], async ({ database }, logger) => {
    const opened = await openSqlStores(database, { log: logger });
    return new Closable(opened, () => opened.close());
  });
};
