import { openSqlStores, postgresqlInUse } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { installationId, renewInstallationId } from './installation-id.ts';

/** The ids of an installation, before and now. */
export interface NewIdentity {
  readonly from: string;
  readonly to: string;
}

/**
 * Gives the database another id, as for a copy that is to live beside its original. Opens the database alone. Throws,
 * with the reason, if a process uses a database on PostgreSQL; on SQLite the caller makes sure of that.
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
