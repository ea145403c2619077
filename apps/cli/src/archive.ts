import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { version } from '@portico/composition';
import { create, extract } from 'tar';
import { OperatorError } from './terminal.ts';

/** The files that a backup can contain. The database is always included. */
export const backupFiles = ['portico.sqlite', 'secrets.key', 'local-issuer.key'] as const;
export type BackupFile = (typeof backupFiles)[number];

/** The description of a backup's contents, stored in the archive. */
export interface Manifest {
  readonly format: 1;
  /** The version of Portico that created the backup. */
  readonly portico: string;
  /** The creation time (ISO 8601). */
  readonly made_at: string;
  readonly files: Readonly<Partial<Record<BackupFile, FileDigest>>>;
}

interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

const manifestName = 'manifest.json';

/** Writes an archive of these files in the folder. Only its owner can read it, and it must not exist yet. */
export const writeArchive = async (
  folder: string,
  names: readonly BackupFile[],
  archive: string,
): Promise<Manifest> => {
  const files: Partial<Record<BackupFile, FileDigest>> = {};
  for (const name of names) files[name] = await digestOf(folder, name);
  const manifest: Manifest = { format: 1, portico: version, made_at: new Date().toISOString(), files };
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const archiveStream = create({ cwd: folder, portable: true, strict: true }, [manifestName, ...names]);
  await pipeline(archiveStream, createWriteStream(archive, { flags: 'wx', mode: 0o600, flush: true }));
  return manifest;
};

/**
 * Extracts an archive into an empty folder that only its owner can read, and checks the files against the manifest.
 * Throws an `OperatorError` if the archive is not a complete backup.
 */
export const readArchive = async (archive: string, folder: string): Promise<Manifest> => {
  const unexpected: string[] = [];
  const expectedNames: readonly string[] = [manifestName, ...backupFiles];
  try {
    await extract({
      file: archive,
      cwd: folder,
      strict: true,
      filter: (path, entry) => {
        const isBackupFile = expectedNames.includes(path) && 'type' in entry && entry.type === 'File';
        if (!isBackupFile) unexpected.push(path);
        return isBackupFile;
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw createRestoreError(archive, 'it is not an archive, or is truncated');
  }
  if (unexpected.length > 0)
    throw createRestoreError(
      archive,
      `it contains ${unexpected.slice(0, 3).join(', ')}, which is not part of a backup`,
    );
  const manifest = await readManifest(archive, folder);
  for (const name of namesIn(manifest)) {
    await chmod(join(folder, name), 0o600).catch(() => {
      throw createRestoreError(archive, `${name} is missing`);
    });
    const [actual, expected] = [await digestOf(folder, name), manifest.files[name]];
    if (actual.sha256 !== expected?.sha256)
      throw createRestoreError(archive, `${name} does not match its checksum in the manifest`);
  }
  return manifest;
};

/** Returns the names of the files in a backup. */
export const namesIn = ({ files }: Manifest): readonly BackupFile[] => backupFiles.filter((name) => name in files);

const readManifest = async (archive: string, folder: string): Promise<Manifest> => {
  try {
    const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest;
    if (manifest.format === 1 && 'portico.sqlite' in manifest.files) return manifest;
  } catch {
    // The manifest is missing, or is not JSON of this shape.
  }
  throw createRestoreError(archive, 'it has no manifest that this version can read');
};

const createRestoreError = (archive: string, reason: string): OperatorError =>
  new OperatorError(`${archive} cannot be restored: ${reason}. Nothing was changed`);

const digestOf = async (folder: string, name: BackupFile): Promise<FileDigest> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, name)), hash);
  return { bytes: (await stat(join(folder, name))).size, sha256: hash.digest('hex') };
};
