import { openSqlStores, type RanMigration } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { prepareDataDir } from './data-dir.ts';

/** Migrates the tables as the start of a service does, and nothing else; returns the migrations that ran, in order. */
export const migrateTables = async (
  config: Pick<Config, 'database' | 'dataDir'>,
  logger: Logger,
): Promise<readonly RanMigration[]> => {
  prepareDataDir(config);
  const { migrated, close } = await openSqlStores(config.database, { older: 'migrate', log: logger });
  await close();
  return migrated;
};
