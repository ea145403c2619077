import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeNewFile, type Config, type EmbeddedFiles } from '@portico/composition';
import { archived, namesIn, readArchive, type Archived, type Manifest } from '../archive.ts';
import { contentOf, isThere } from '../files.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { withStaging } from '../staging.ts';
import { whileUnused } from '../while-unused.ts';
import { filesOf } from './backup.ts';

/** A file of the backup, and where it goes. */
interface Placing {
  readonly name: Archived;
  readonly staged: string;
  readonly target: string;
}

/**
 * Replaces the data with a backup, after checking all of it and while no process uses the database. Replaces existing
 * files only with `force`, and keeps them beside the new ones under another name.
 */
export const restore = async (
  config: Config,
  terminal: Terminal,
  archive: string,
  { force = false }: { readonly force?: boolean },
): Promise<void> => {
  const files = filesOf(config, 'pg_restore --clean --if-exists --exit-on-error -d "$DATABASE_URL" FILE');
  if (!(await isThere(archive))) throw new OperatorError(`${archive} does not exist`);
  const folder = dirname(files.database);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await withStaging(join(folder, '.portico-restore-'), async (staging) => {
    const manifest = await readArchive(archive, staging);
    await files.check(join(staging, 'portico.sqlite'));
    const placings = await placingsOf(config, files, staging, manifest);
    const taken = await takenBy(placings);
    if (taken.length > 0 && !force)
      throw new OperatorError(
        `already there: ${taken.join(', ')}; --force replaces this with the backup and keeps it under another name`,
      );
    const suffix = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await whileUnused(files, () => place(placings, taken, suffix));
    tell(
      terminal,
      config,
      archive,
      manifest,
      taken.map((path) => `${path}.${suffix}`),
    );
  });
};

/** Leaves out a key file that is the same as in the backup. */
const placingsOf = async (
  { dataDir }: Config,
  files: EmbeddedFiles,
  staging: string,
  manifest: Manifest,
): Promise<readonly Placing[]> => {
  const placings: Placing[] = [];
  for (const name of namesIn(manifest)) {
    const target = name === 'portico.sqlite' ? files.database : (files.keys[name] ?? join(dataDir, name));
    const staged = join(staging, name);
    if (name === 'portico.sqlite' || !(await isSame(staged, target))) placings.push({ name, staged, target });
  }
  return placings;
};

const isSame = async (staged: string, target: string): Promise<boolean> => {
  const [wanted, there] = await Promise.all([contentOf(staged), contentOf(target)]);
  return wanted !== null && there !== null && wanted.equals(there);
};

const takenBy = async (placings: readonly Placing[]): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (const { target } of placings) if (await isThere(target)) taken.push(target);
  return taken;
};

/** Everything that can fail on a full disk is done before the first rename. */
const place = async (placings: readonly Placing[], taken: readonly string[], suffix: string): Promise<void> => {
  const ready: { readonly from: string; readonly to: string }[] = [];
  for (const { name, staged, target } of placings) {
    if (name === 'portico.sqlite') ready.push({ from: staged, to: target });
    else {
      // It may be on another file system than the database.
      const from = `${target}.${suffix}.new`;
      await writeNewFile(from, (await contentOf(staged)) ?? '');
      ready.push({ from, to: target });
    }
  }
  for (const path of taken) await keepAside(path, `${path}.${suffix}`);
  for (const { from, to } of ready) await rename(from, to);
  for (const folder of new Set(ready.map(({ to }) => dirname(to)))) await syncFolder(folder);
};

/**
 * Uses a hard link if the file system has them, so that the file never goes missing. SQLite would take a WAL left
 * behind for that of the restored database.
 */
const keepAside = async (path: string, aside: string): Promise<void> => {
  if (await isThere(`${path}-wal`)) await rename(`${path}-wal`, `${aside}-wal`);
  await rm(`${path}-shm`, { force: true });
  await link(path, aside).catch(() => rename(path, aside));
};

const tell = (
  terminal: Terminal,
  { secretsKey }: Config,
  archive: string,
  manifest: Manifest,
  aside: readonly string[],
): void => {
  const names = namesIn(manifest);
  const missing = archived.filter((name) => !names.includes(name));
  terminal.result({ file: archive, ...manifest, kept_aside: aside }, [
    `Restored the backup of ${manifest.made_at} (version ${manifest.portico}): ${names.join(', ')}.`,
    ...aside.map((path) => `The previous file is kept as ${path}`),
    ...(missing.includes('secrets.key') ? ['The secrets key was not in the backup: use the one of that time.'] : []),
    ...(secretsKey.from === 'value' && names.includes('secrets.key')
      ? ['SECRETS_KEY is set and takes precedence over the key of the backup.']
      : []),
  ]);
};
