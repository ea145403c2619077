import { moveDatabase, type MovedDatabase, type MoveOptions } from '@portico/sql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/** The result of a move, and the configuration of the new database. */
export interface DataMove extends MovedDatabase {
  /** The `DATABASE_URL` of the new database, with `PASSWORD` for its password. */
  readonly address: string;
}

/**
 * Moves the configured database to an empty one, while no process uses either. Opens only the databases, because a
 * complete composition writes to them.
 */
export const moveData = async (
  { database }: Pick<Config, 'database'>,
  targetDatabase: Config['database'],
  logger: Logger,
  onProgress: MoveOptions['onProgress'],
): Promise<DataMove> => ({
  ...(await moveDatabase(database, targetDatabase, { log: logger, onProgress })),
  address: addressOf(targetDatabase),
});

/** The options that are safe to show: any other option may be a secret. */
const publicOptions = ['sslmode', 'sslrootcert', 'application_name'];

const addressOf = (database: Config['database']): string => {
  if (database.kind === 'sqlite') return `sqlite:${database.file}`;
  const url = new URL(database.url);
  if (url.password !== '') url.password = 'PASSWORD';
  for (const name of [...url.searchParams.keys()]) if (!publicOptions.includes(name)) url.searchParams.delete(name);
  return url.href;
};
