import { openSqlStores } from '@portico/sql';
import { Closable, type Module } from '../registry.ts';

/** The stores on SQLite. */
export const sqliteModule: Module = (provide) => {
  provide('database', ['config'], async ({ database }) => {
    const opened = await openSqlStores(database);
    return new Closable(opened, () => opened.close());
  });
};
