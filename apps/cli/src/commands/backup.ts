import { createReadStream } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findEmbeddedFiles, syncFolder, writeNewFile, type Config, type EmbeddedFiles } from '@portico/composition';
import { namesIn, writeArchive, type BackupFile, type Manifest } from '../archive.ts';
import { fileExists } from '../files.ts';
import { withStaging } from '../staging.ts';
import { OperatorError, type Terminal } from '../terminal.ts';

/**
 * Writes everything that cannot be recreated to one archive: a snapshot of the database, and the key files of
 * `DATA_DIR`. The service can keep running during the backup. The archive is readable only by its owner, and appears
 * either complete or not at all. If the path is `-`, the archive is written to standard output.
 */
export const backUp = async (
  config: Config,
  terminal: Terminal,
  target: string,
  { force = false }: { readonly force?: boolean },
): Promise<void> => {
  const files = filesOf(config, 'pg_dump -Fc -f FILE "$DATABASE_URL"');
  const writesToStdout = target === '-';
  const archive = resolve(target);
  if (!writesToStdout && !force && (await fileExists(archive)))
    throw new OperatorError(`${target} already exists: choose another name, or pass --force`);
  if (!(await fileExists(files.database)))
    throw new OperatorError(`there is nothing to back up: ${files.database} does not exist`);
  // In the archive's folder, because a file cannot be renamed across file systems.
  const prefix = join(writesToStdout ? config.dataDir : dirname(archive), '.portico-backup-');
  await withStaging(prefix, async (staging) => {
    const stagedArchive = join(staging, 'archive');
    const manifest = await stageBackup(files, staging, stagedArchive);
    if (writesToStdout) await pipeline(createReadStream(stagedArchive), terminal.io.stdout, { end: false });
    else {
      await rename(stagedArchive, archive);
      await syncFolder(dirname(archive));
    }
    report(terminal, config, target, writesToStdout, manifest);
  });
};

/**
 * Returns the files of the embedded stores. For PostgreSQL, throws an `OperatorError` that recommends PostgreSQL's own
 * tools.
 */
export const filesOf = (config: Config, alternative: string): EmbeddedFiles => {
  const files = findEmbeddedFiles(config);
  if (files) return files;
  const key = config.secretsKey.from === 'file' ? config.secretsKey.path : 'SECRETS_KEY';
  throw new OperatorError(
    `the database is PostgreSQL: use ${alternative} for the data, and keep a separate copy of ${key}, which opens the sealed data`,
  );
};

const stageBackup = async (files: EmbeddedFiles, staging: string, archive: string): Promise<Manifest> => {
  const names: BackupFile[] = ['portico.sqlite'];
  const databaseCopy = join(staging, 'portico.sqlite');
  await writeNewFile(databaseCopy, '');
  await files.copy(databaseCopy);
  await files.check(databaseCopy);
  for (const name of ['secrets.key', 'local-issuer.key'] as const) {
    const key = files.keys[name];
    if (key === undefined || !(await fileExists(key))) continue;
    await copyFile(key, join(staging, name));
    names.push(name);
  }
  return writeArchive(staging, names, archive);
};

const report = (
  terminal: Terminal,
  config: Config,
  target: string,
  writesToStdout: boolean,
  manifest: Manifest,
): void => {
  const names = namesIn(manifest);
  const hasKey = names.includes('secrets.key');
  const summary = `${writesToStdout ? 'Written' : basename(target)}: ${names.join(', ')}.`;
  const lines = hasKey
    ? [`${summary} It gives access to everything that is stored: keep it secret.`]
    : [`${summary} Keep it secret.`, formatKeyLocation(config)];
  if (writesToStdout) for (const line of lines) terminal.printNote(line);
  else terminal.printResult({ file: target, ...manifest }, lines);
};

const formatKeyLocation = ({ secretsKey }: Config): string =>
  secretsKey.from === 'value'
    ? 'It does not contain the secrets key, which comes from SECRETS_KEY. Keep a copy: without it, sealed data cannot be opened.'
    : `It does not contain the secrets key: ${secretsKey.path} is outside DATA_DIR. Keep a copy: without it, sealed data cannot be opened.`;
