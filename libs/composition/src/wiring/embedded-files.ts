import { isAbsolute, join, relative } from 'node:path';
import { loadSqliteFiles } from '@portico/sql';
import type { Config } from '../config.ts';

/** A key file, identified by its name in a backup. */
export type KeyFile = 'secrets.key' | 'local-issuer.key';

/** The files where the embedded default stores data that cannot be recreated. */
export interface EmbeddedFiles {
  readonly database: string;
  /**
   * The paths of the key files. If one is missing, the operator stores that key elsewhere: in a variable, or in a file
   * outside `DATA_DIR`.
   */
  readonly keys: Readonly<Partial<Record<KeyFile, string>>>;
  /** Copies a consistent snapshot of the database into an empty file, even while the service is running. */
  readonly copy: (target: string) => Promise<void>;
  /** Throws unless this file is an intact database that this version can use. */
  readonly check: (file: string) => Promise<void>;
  /** Runs the work while no process has the database open; does nothing and returns false if a process has it open. */
  readonly runExclusively: (work: () => Promise<void>) => Promise<boolean>;
}

/** Returns the files; null if the database is PostgreSQL. */
export const findEmbeddedFiles = ({ database, dataDir, secretsKey }: Config): EmbeddedFiles | null => {
  if (database.kind !== 'sqlite') return null;
  const embeddedKey = secretsKey.from === 'file' && isWithin(dataDir, secretsKey.path) ? secretsKey.path : null;
  return {
    database: database.file,
    keys: {
      ...(embeddedKey ? { 'secrets.key': embeddedKey } : {}),
      'local-issuer.key': join(dataDir, 'local-issuer.key'),
    },
    copy: async (target) => (await loadSqliteFiles()).copySqlite(database.file, target),
    check: async (file) => (await loadSqliteFiles()).checkSqlite(file),
    runExclusively: async (work) => (await loadSqliteFiles()).withExclusiveSqlite(database.file, work),
  };
};

export const isWithin = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path);
  return !relativePath.startsWith('..') && !isAbsolute(relativePath);
};
