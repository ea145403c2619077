import { openSqlStores } from '@portico/sql';
import { installationId } from '../installation-id.ts';
import { Closable, type Module } from '../parts.ts';

/** The stores, on SQLite or on PostgreSQL, and the id of the installation, which is stored there. */
export const databaseModule: Module = (provide) => {
  provide('database', ['config', 'duties', 'logger'], async ({ database }, { migrates }, logger) => {
    const opened = await openSqlStores(database, { older: migrates ? 'migrate' : 'refuse', log: logger });
    const { length } = opened.migrated;
    const ms = opened.migrated.reduce((sum, migration) => sum + migration.ms, 0);
    if (length > 0)
      logger.info(
        { migrations: length, ms },
        `${length === 1 ? '1 migration' : `${length} migrations`} ran in ${ms} ms`,
      );
    return new Closable(opened, () => opened.close());
  });
  provide('installation', ['database'], ({ settings }) => installationId(settings));
};
