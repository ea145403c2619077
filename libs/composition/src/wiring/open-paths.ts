import { statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { isWithin } from './embedded-files.ts';

/** What other users of the machine may do that only the service may. */
export interface OpenPath {
  readonly path: string;
  readonly said: string;
  /** The command that mends it. */
  readonly advice: string;
}

/** The data folder, if others may write it; null if not, or if it does not exist yet. */
export const openFolder = ({ dataDir }: Pick<Config, 'dataDir'>): OpenPath | null => {
  const found = statOf(dataDir);
  if (found === null || (found.mode & 0o022) === 0) return null;
  const said = `DATA_DIR: other users may write ${dataDir} (mode ${modeText(found)}), and so replace its keys.`;
  return { path: dataDir, said, advice: `chmod 700 ${dataDir}` };
};

/** The keys and the database that others may read. */
export const openFiles = ({
  dataDir,
  secretsKey,
  database,
}: Pick<Config, 'dataDir' | 'secretsKey' | 'database'>): readonly OpenPath[] => {
  const key = secretsKey.from === 'file' ? [secretsKey.path] : [];
  const file = database.kind === 'sqlite' ? [database.file] : [];
  const paths = [...new Set([...key, join(dataDir, 'secrets.key'), join(dataDir, 'local-issuer.key'), ...file])];
  return paths.flatMap((path) => {
    const found = statOf(path);
    if (found === null || (found.mode & 0o077) === 0) return [];
    const said = `${path} is open to other users (mode ${modeText(found)}); only its owner may read it.`;
    return [{ path, said, advice: `chmod 600 ${path}` }];
  });
};

/** What a start says about them. Files elsewhere, such as mounted secrets, may have other rules. */
export const openPathWarnings = (config: Pick<Config, 'dataDir' | 'secretsKey' | 'database'>): readonly string[] => {
  const folder = openFolder(config);
  const files = openFiles(config).filter(({ path }) => isWithin(config.dataDir, path));
  return [...(folder ? [folder] : []), ...files].map(({ said, advice }) => `${said} Run: ${advice}`);
};

const statOf = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;

const modeText = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0');
