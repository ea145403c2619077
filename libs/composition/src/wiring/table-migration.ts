import { openSqlStores, type AppliedMigration } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { prepareDataDir } from './data-dir.ts';

/** Only migrates the tables, as a service does at startup; returns the migrations that ran, in order. */
export const migrateTables = async (
  config: Pick<Config, 'database' | 'dataDir'>,
  logger: Logger,
): Promise<readonly AppliedMigration[]> => {
  prepareDataDir(config);
  const { appliedMigrations, close } = await openSqlStores(config.database, {
    onOutdatedSchema: 'migrate',
    log: logger,
  });
  await close();
  return appliedMigrations;
};
