import { link, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeNewFile, type Config, type EmbeddedFiles } from '@portico/composition';
import { archived, namesIn, readArchive, type Archived, type Manifest } from '../archive.ts';
import { contentOf, isThere } from '../files.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { whileUnused } from '../while-unused.ts';
import { filesOf } from './backup.ts';

/** A file of the backup, and where it goes. */
interface Placing {
  readonly name: Archived;
  readonly staged: string;
  readonly target: string;
}

/**
 * Puts a backup in the place of the data, once all of it was looked at and while no process uses the database. What is there
 * already is only replaced with `force`, and kept beside it under another name.
 */
export const restore = async (
  config: Config,
  terminal: Terminal,
  archive: string,
  { force = false }: { readonly force?: boolean },
): Promise<void> => {
  const files = filesOf(config, 'pg_restore --clean --if-exists --exit-on-error -d "$DATABASE_URL" FILE');
  if (!(await isThere(archive))) throw new OperatorError(`${archive} is not there`);
  const folder = dirname(files.database);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(folder, '.portico-restore-'));
  try {
    const manifest = await readArchive(archive, staging);
    await files.check(join(staging, 'portico.sqlite'));
    const placings = await placingsOf(config, files, staging, manifest);
    const taken = await takenBy(placings);
    if (taken.length > 0 && !force)
      throw new OperatorError(
        `${taken.join(', ')} is there already: --force puts the backup in its place, and keeps it under another name`,
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
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};

/** A key that is there as it is in the backup is left alone. */
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

/** All that can fail for want of room is done before the first name changes. */
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
 * By a second name, where the file system has such: so that there is no moment without the file. A log that was left beside a
 * database would be taken for that of the restored one.
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
    `Restored as of ${manifest.made_at} (version ${manifest.portico}): ${names.join(', ')}.`,
    ...aside.map((path) => `What was there is kept as ${path}`),
    ...(missing.includes('secrets.key') ? ['The secrets key was not in the backup: give the one of that time.'] : []),
    ...(secretsKey.from === 'value' && names.includes('secrets.key')
      ? ['SECRETS_KEY is set, and counts in place of the key of the backup.']
      : []),
  ]);
};
