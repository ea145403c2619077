import { openSqlStores, loadPostgresqlUsageCheck } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ensureInstallationId, renewInstallationId } from './installation-id.ts';

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
  if (database.kind === 'postgresql')
    await (await loadPostgresqlUsageCheck()).rejectPostgresqlInUse(database.url, logger);
  const { settings, close } = await openSqlStores(database, { onOutdatedSchema: 'reject', log: logger });
  try {
    return { from: await ensureInstallationId(settings), to: await renewInstallationId(settings) };
  } finally {
    await close();
  }
};
