import { openSqlStores } from '@portico/sql';
import { ensureInstallationId } from '../installation-id.ts';
import { Closable, type Module } from '../parts.ts';

/** The stores, on SQLite or on PostgreSQL, and the id of the installation, which is stored there. */
export const databaseModule: Module = (provide) => {
  provide('database', ['config', 'duties', 'logger'], async ({ database }, { migrates }, logger) => {
    const sqlStores = await openSqlStores(database, { onOutdatedSchema: migrates ? 'migrate' : 'reject', log: logger });
    const { length } = sqlStores.appliedMigrations;
    const ms = sqlStores.appliedMigrations.reduce((sum, migration) => sum + migration.ms, 0);
    if (length > 0)
      logger.info(
        { migrations: length, ms },
        `${length === 1 ? '1 migration' : `${length} migrations`} ran in ${ms} ms`,
      );
    return new Closable(sqlStores, () => sqlStores.close());
  });
  provide('installation', ['database'], ({ settings }) => ensureInstallationId(settings));
};
