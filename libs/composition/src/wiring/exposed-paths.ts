import { statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isWithin } from './embedded-files.ts';

/** A path that only the service should be able to access, but that other users of the machine can also access. */
export interface ExposedPath {
  readonly path: string;
  readonly message: string;
  /** The command that fixes the permissions. */
  readonly advice: string;
}

/** Returns the data folder if other users may write to it; null if not, or if it does not exist yet. */
export const findExposedFolder = ({ dataDir }: Pick<Config, 'dataDir'>): ExposedPath | null => {
  const stats = readStats(dataDir);
  if (stats === null || (stats.mode & 0o022) === 0) return null;
  const message = `DATA_DIR: other users can write to ${dataDir} (mode ${formatMode(stats)}), and so can replace its keys.`;
  return { path: dataDir, message, advice: `chmod 700 ${dataDir}` };
};

/** Returns the keys and the database file if other users may read them. */
export const findExposedFiles = ({
  dataDir,
  secretsKey,
  database,
}: Pick<Config, 'dataDir' | 'secretsKey' | 'database'>): readonly ExposedPath[] => {
  const key = secretsKey.from === 'file' ? [secretsKey.path] : [];
  const file = database.kind === 'sqlite' ? [database.file] : [];
  const paths = [...new Set([...key, join(dataDir, 'secrets.key'), join(dataDir, 'local-issuer.key'), ...file])];
  return paths.flatMap((path) => {
    const stats = readStats(path);
    if (stats === null || (stats.mode & 0o077) === 0) return [];
    const message = `${path} is accessible to other users (mode ${formatMode(stats)}); only its owner should be able to read it.`;
    return [{ path, message, advice: `chmod 600 ${path}` }];
  });
};

/**
 * Returns the warnings about these paths to log at startup. Files elsewhere are left out: mounted secrets, for example,
 * may need different permissions.
 */
export const listExposedPathWarnings = (
  config: Pick<Config, 'dataDir' | 'secretsKey' | 'database'>,
): readonly string[] => {
  const folder = findExposedFolder(config);
  const files = findExposedFiles(config).filter(({ path }) => isWithin(config.dataDir, path));
  return [...(folder ? [folder] : []), ...files].map(({ message, advice }) => `${message} Run: ${advice}`);
};

const readStats = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;

const formatMode = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0');
