import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeNewFile, type Config, type EmbeddedFiles } from '@portico/composition';
import { backupFiles, namesIn, readArchive, type BackupFile, type Manifest } from '../archive.ts';
import { contentOf, fileExists } from '../files.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { withStaging } from '../staging.ts';
import { runWhileUnused } from '../run-while-unused.ts';
import { filesOf } from './backup.ts';

/** A file of the backup, and its destination. */
interface Placement {
  readonly name: BackupFile;
  readonly stagedPath: string;
  readonly target: string;
}

/**
 * Checks the whole backup, then replaces the data with it if no process uses the database. Replaces existing files
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
    const existingPaths = await findExistingTargets(placements);
    if (existingPaths.length > 0 && !force)
      throw new OperatorError(
        `these files already exist: ${existingPaths.join(', ')}; --force replaces them with the backup and keeps them under different names`,
      );
    const suffix = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await runWhileUnused(files, () => placeFiles(placements, existingPaths, suffix));
    report(
      terminal,
      config,
      archive,
      manifest,
      existingPaths.map((path) => `${path}.${suffix}`),
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
    const stagedPath = join(staging, name);
    if (name === 'portico.sqlite' || !(await hasSameContent(stagedPath, target)))
      placements.push({ name, stagedPath, target });
  }
  return placements;
};

const hasSameContent = async (stagedPath: string, target: string): Promise<boolean> => {
  const [stagedContent, targetContent] = await Promise.all([contentOf(stagedPath), contentOf(target)]);
  return stagedContent !== null && targetContent !== null && stagedContent.equals(targetContent);
};

const findExistingTargets = async (placements: readonly Placement[]): Promise<readonly string[]> => {
  const existingPaths: string[] = [];
  for (const { target } of placements) if (await fileExists(target)) existingPaths.push(target);
  return existingPaths;
};

/** Puts the files in place. Everything that can fail on a full disk is done before the first rename. */
const placeFiles = async (
  placements: readonly Placement[],
  existingPaths: readonly string[],
  suffix: string,
): Promise<void> => {
  const renames: { readonly from: string; readonly to: string }[] = [];
  for (const { name, stagedPath, target } of placements) {
    if (name === 'portico.sqlite') renames.push({ from: stagedPath, to: target });
    else {
      // The key may be on a different file system from the database.
      const from = `${target}.${suffix}.new`;
      await writeNewFile(from, (await contentOf(stagedPath)) ?? '');
      renames.push({ from, to: target });
    }
  }
  for (const path of existingPaths) await preserveFile(path, `${path}.${suffix}`);
  for (const { from, to } of renames) await rename(from, to);
  for (const folder of new Set(renames.map(({ to }) => dirname(to)))) await syncFolder(folder);
};

/**
 * Keeps an existing file under a different name. Uses a hard link if the file system supports it, so that the file is
 * never missing. Also renames the WAL, because SQLite would mistake a leftover WAL for the restored database's.
 */
const preserveFile = async (path: string, newPath: string): Promise<void> => {
  if (await fileExists(`${path}-wal`)) await rename(`${path}-wal`, `${newPath}-wal`);
  await rm(`${path}-shm`, { force: true });
  await link(path, newPath).catch(() => rename(path, newPath));
};

const report = (
  terminal: Terminal,
  { secretsKey }: Config,
  archive: string,
  manifest: Manifest,
  previousFiles: readonly string[],
): void => {
  const names = namesIn(manifest);
  const missingFiles = backupFiles.filter((name) => !names.includes(name));
  terminal.printResult({ file: archive, ...manifest, kept_aside: previousFiles }, [
    `Restored the backup of ${manifest.made_at} (version ${manifest.portico}): ${names.join(', ')}.`,
    ...previousFiles.map((path) => `The previous file is kept as ${path}`),
    ...(missingFiles.includes('secrets.key')
      ? ['The backup does not contain the secrets key: use the key that was current when the backup was created.']
      : []),
    ...(secretsKey.from === 'value' && names.includes('secrets.key')
      ? ['SECRETS_KEY is set and takes precedence over the key of the backup.']
      : []),
  ]);
};
