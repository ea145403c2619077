import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { version } from '@portico/composition';
import { create, extract } from 'tar';
import { OperatorError } from './terminal.ts';

/** What a backup may hold, by name. The database is always there. */
export const archived = ['portico.sqlite', 'secrets.key', 'local-issuer.key'] as const;
export type Archived = (typeof archived)[number];

/** What a backup holds; part of the archive. */
export interface Manifest {
  readonly format: 1;
  /** The version of Portico that made it. */
  readonly portico: string;
  /** ISO 8601. */
  readonly made_at: string;
  readonly files: Readonly<Partial<Record<Archived, FileFacts>>>;
}

interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

const manifestName = 'manifest.json';

/** Writes an archive of these files of the folder, readable by its owner only. The archive must not exist yet. */
export const writeArchive = async (folder: string, names: readonly Archived[], archive: string): Promise<Manifest> => {
  const files: Partial<Record<Archived, FileFacts>> = {};
  for (const name of names) files[name] = await factsOf(folder, name);
  const manifest: Manifest = { format: 1, portico: version, made_at: new Date().toISOString(), files };
  await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const packed = create({ cwd: folder, portable: true, strict: true }, [manifestName, ...names]);
  await pipeline(packed, createWriteStream(archive, { flags: 'wx', mode: 0o600, flush: true }));
  return manifest;
};

/**
 * Extracts an archive into an empty folder that only its owner can read, and checks the files against the manifest.
 * Throws an `OperatorError` for an archive that is not a backup, or not a complete one.
 */
export const readArchive = async (archive: string, folder: string): Promise<Manifest> => {
  const strange: string[] = [];
  const wanted: readonly string[] = [manifestName, ...archived];
  try {
    await extract({
      file: archive,
      cwd: folder,
      strict: true,
      filter: (path, entry) => {
        const isOurs = wanted.includes(path) && 'type' in entry && entry.type === 'File';
        if (!isOurs) strange.push(path);
        return isOurs;
      },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw noBackup(archive, 'it is not an archive, or is truncated');
  }
  if (strange.length > 0) throw noBackup(archive, `it holds ${strange.slice(0, 3).join(', ')}, which no backup has`);
  const manifest = await readManifest(archive, folder);
  for (const name of namesIn(manifest)) {
    await chmod(join(folder, name), 0o600).catch(() => {
      throw noBackup(archive, `${name} is missing`);
    });
    const [is, said] = [await factsOf(folder, name), manifest.files[name]];
    if (is.sha256 !== said?.sha256) throw noBackup(archive, `${name} does not match its checksum in the manifest`);
  }
  return manifest;
};

/** The files of a backup. */
export const namesIn = ({ files }: Manifest): readonly Archived[] => archived.filter((name) => name in files);

const readManifest = async (archive: string, folder: string): Promise<Manifest> => {
  try {
    const manifest = JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest;
    if (manifest.format === 1 && 'portico.sqlite' in manifest.files) return manifest;
  } catch {
    // It is missing, or not JSON of this shape.
  }
  throw noBackup(archive, 'it has no manifest that this version can read');
};

const noBackup = (archive: string, why: string): OperatorError =>
  new OperatorError(`${archive} cannot be restored: ${why}. Nothing was changed`);

const factsOf = async (folder: string, name: Archived): Promise<FileFacts> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, name)), hash);
  return { bytes: (await stat(join(folder, name))).size, sha256: hash.digest('hex') };
};
