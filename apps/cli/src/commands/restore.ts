import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeNewFile, type Config, type EmbeddedFiles } from '@portico/composition';
import { backupFiles, namesIn, readArchive, type BackupFile, type Manifest } from '../archive.ts';
import { contentOf, fileExists } from '../files.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { withStaging } from '../staging.ts';
import { whileUnused } from '../while-unused.ts';
import { filesOf } from './backup.ts';

/** A file of the backup, and its destination. */
interface Placement {
  readonly name: BackupFile;
  readonly staged: string;
  readonly target: string;
}

/**
 * Checks the whole backup, then replaces the data with it while no process uses the database. Replaces existing files
 * only with `force`, and keeps them next to the new files under a different name.
 */
export const restore = async (
  config: Config,
  terminal: Terminal,
  archive: string,
  { force = false }: { readonly force?: boolean },
): Promise<void> => {
  const files = filesOf(config, 'pg_restore --clean --if-exists --exit-on-error -d "$DATABASE_URL" FILE');
  if (!(await fileExists(archive))) throw new OperatorError(`${archive} does not exist`);
  const folder = dirname(files.database);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await withStaging(join(folder, '.portico-restore-'), async (staging) => {
    const manifest = await readArchive(archive, staging);
    await files.check(join(staging, 'portico.sqlite'));
    const placements = await placementsOf(config, files, staging, manifest);
    const existing = await existingTargets(placements);
    if (existing.length > 0 && !force)
      throw new OperatorError(
        `already there: ${existing.join(', ')}; --force replaces this with the backup and keeps it under another name`,
      );
    const suffix = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await whileUnused(files, () => place(placements, existing, suffix));
    report(
      terminal,
      config,
      archive,
      manifest,
      existing.map((path) => `${path}.${suffix}`),
    );
  });
};

/** Returns the files to replace, except a key file that is identical to the one in the backup. */
const placementsOf = async (
  { dataDir }: Config,
  files: EmbeddedFiles,
  staging: string,
  manifest: Manifest,
): Promise<readonly Placement[]> => {
  const placements: Placement[] = [];
  for (const name of namesIn(manifest)) {
    const target = name === 'portico.sqlite' ? files.database : (files.keys[name] ?? join(dataDir, name));
    const staged = join(staging, name);
    if (name === 'portico.sqlite' || !(await isSame(staged, target))) placements.push({ name, staged, target });
  }
  return placements;
};

const isSame = async (staged: string, target: string): Promise<boolean> => {
  const [stagedContent, targetContent] = await Promise.all([contentOf(staged), contentOf(target)]);
  return stagedContent !== null && targetContent !== null && stagedContent.equals(targetContent);
};

const existingTargets = async (placements: readonly Placement[]): Promise<readonly string[]> => {
  const existing: string[] = [];
  for (const { target } of placements) if (await fileExists(target)) existing.push(target);
  return existing;
};

/** Puts the files in place. Everything that can fail on a full disk is done before the first rename. */
const place = async (placements: readonly Placement[], existing: readonly string[], suffix: string): Promise<void> => {
  const ready: { readonly from: string; readonly to: string }[] = [];
  for (const { name, staged, target } of placements) {
    if (name === 'portico.sqlite') ready.push({ from: staged, to: target });
    else {
      // The key may be on a different file system from the database.
      const from = `${target}.${suffix}.new`;
      await writeNewFile(from, (await contentOf(staged)) ?? '');
      ready.push({ from, to: target });
    }
  }
  for (const path of existing) await keepAside(path, `${path}.${suffix}`);
  for (const { from, to } of ready) await rename(from, to);
  for (const folder of new Set(ready.map(({ to }) => dirname(to)))) await syncFolder(folder);
};

/**
 * Keeps an existing file under a different name. Uses a hard link if the file system supports it, so that the file is
 * never missing. Also renames the WAL, because SQLite would mistake a leftover WAL for the restored database's.
 */
const keepAside = async (path: string, aside: string): Promise<void> => {
  if (await fileExists(`${path}-wal`)) await rename(`${path}-wal`, `${aside}-wal`);
  await rm(`${path}-shm`, { force: true });
  await link(path, aside).catch(() => rename(path, aside));
};

const report = (
  terminal: Terminal,
  { secretsKey }: Config,
  archive: string,
  manifest: Manifest,
  aside: readonly string[],
): void => {
  const names = namesIn(manifest);
  const missing = backupFiles.filter((name) => !names.includes(name));
  terminal.result({ file: archive, ...manifest, kept_aside: aside }, [
    `Restored the backup of ${manifest.made_at} (version ${manifest.portico}): ${names.join(', ')}.`,
    ...aside.map((path) => `The previous file is kept as ${path}`),
    ...(missing.includes('secrets.key') ? ['The secrets key was not in the backup: use the key of that time.'] : []),
    ...(secretsKey.from === 'value' && names.includes('secrets.key')
      ? ['SECRETS_KEY is set and takes precedence over the key of the backup.']
      : []),
  ]);
};
