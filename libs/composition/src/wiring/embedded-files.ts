import { isAbsolute, join, relative } from 'node:path';
import { sqliteFiles } from '@portico/sql';
import type { Config } from '../config.ts';

/** A key that a backup has, by its name there. */
export type KeyFile = 'secrets.key' | 'local-issuer.key';

/** Where the embedded default keeps what cannot be made anew. */
export interface EmbeddedFiles {
  readonly database: string;
  /** What is missing is kept by the operator elsewhere: in a variable, or in a file that is not of `DATA_DIR`. */
  readonly keys: Readonly<Partial<Record<KeyFile, string>>>;
  /** Copies the database as of one moment, beside a running service, into a file that is empty. */
  readonly copy: (target: string) => Promise<void>;
  /** Throws unless this file is a whole database that this version can go on with. */
  readonly check: (file: string) => Promise<void>;
  /** Does the work while no process has the database open; returns false, and does nothing, where one has. */
  readonly alone: (work: () => Promise<void>) => Promise<boolean>;
}

/** Null where the database is a server's. */
export const embeddedFiles = ({ database, dataDir, secretsKey }: Config): EmbeddedFiles | null => {
  if (database.kind !== 'sqlite') return null;
  const ownKey = secretsKey.from === 'file' && isWithin(dataDir, secretsKey.path) ? secretsKey.path : null;
  return {
    database: database.file,
    keys: { ...(ownKey ? { 'secrets.key': ownKey } : {}), 'local-issuer.key': join(dataDir, 'local-issuer.key') },
    copy: async (target) => (await sqliteFiles()).copySqlite(database.file, target),
    check: async (file) => (await sqliteFiles()).checkSqlite(file),
    alone: async (work) => (await sqliteFiles()).aloneWithSqlite(database.file, work),
  };
};

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
};
