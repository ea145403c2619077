import { openSqlStores, postgresqlInUse } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { installationId, renewInstallationId } from './installation-id.ts';

/** The previous and the new id of an installation. */
export interface NewIdentity {
  readonly from: string;
  readonly to: string;
}

/**
 * Gives the database a new id, for example if it is a copy that is used at the same time as its original. Opens only
 * the database. Throws, with the reason, if a process uses a PostgreSQL database; on SQLite, the caller must ensure
 * that no process uses it.
 */
export const renewIdentity = async ({ database }: Pick<Config, 'database'>, logger: Logger): Promise<NewIdentity> => {
  if (database.kind === 'postgresql') await (await postgresqlInUse()).refuseUsedPostgresql(database.url, logger);
  const { settings, close } = await openSqlStores(database, { older: 'refuse', log: logger });
  try {
    return { from: await installationId(settings), to: await renewInstallationId(settings) };
  } finally {
    await close();
  }
};
