import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DocumentFileError, type DocumentReader, type ReadDocument } from '@portico/domain';
import { readBundled, type BundledFile } from '../bundling/read-bundled.ts';
import { removePrefix } from '../commands/import-target.ts';
import type { Io } from '../io.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import { GitFileError, openRevision } from './git-files.ts';

/** A document to compare, with the path of its file; null for standard input. */
export interface DocumentVersion {
  readonly document: ReadDocument;
  readonly path: string | null;
}

/**
 * Reads a file, standard input (`-`), or a file of a Git revision (`REVISION:PATH`). An existing file is preferred to a
 * revision. Prints the notices of the document. Throws an `OperatorError` if it cannot be read.
 */
export const readVersion = async (
  documents: Pick<DocumentReader, 'readFile' | 'convertToJson'>,
  terminal: Terminal,
  argument: string,
): Promise<DocumentVersion> => {
  const { path, ...bundledFile } = await locate(argument, terminal.io);
  try {
    const { document, notices } = await readBundled(documents, bundledFile);
    for (const { pointer, message } of notices)
      terminal.printNote(`portico: ${argument}: ${pointer || '(the document)'} ${message}`);
    return { document, path };
  } catch (error) {
    if (error instanceof DocumentFileError) throw new OperatorError(`${argument}: ${removePrefix(error.message)}`);
    throw error;
  }
};

const locate = async (argument: string, io: Io): Promise<BundledFile & { readonly path: string | null }> => {
  if (argument === '-') return { path: null, file: 'stdin', folder: '.', content: await readAll(io) };
  const separator = argument.indexOf(':');
  if (separator < 1 || (await exists(argument))) return readFromDisk(argument);
  return readFromGit(argument, argument.slice(0, separator), argument.slice(separator + 1));
};

const readAll = async ({ stdin }: Io): Promise<Buffer> =>
  Buffer.concat(((await stdin.toArray()) as (Buffer | string)[]).map((chunk) => Buffer.from(chunk as string)));

const exists = async (file: string): Promise<boolean> => {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
};

const readFromDisk = async (file: string): Promise<BundledFile & { readonly path: string }> => {
  try {
    return { path: file, file, folder: dirname(file), content: await readFile(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${file}: ${code === 'ENOENT' ? 'no such file' : `cannot be read (${code})`}`);
  }
};

const readFromGit = async (
  argument: string,
  revision: string,
  givenPath: string,
): Promise<BundledFile & { readonly path: string }> => {
  const files = await openRevision(revision);
  const path = files.pathOf(givenPath);
  try {
    const file = join(files.root, path);
    const content = await files.read(path);
    return { path, file, folder: dirname(file), content, readReferenced: (target) => files.readAbsolute(target) };
  } catch (error) {
    if (!(error instanceof GitFileError)) throw error;
    throw new OperatorError(
      `${argument}: "${path}" ${error.message}; paths start at the root of the repository, or with "./" at the current folder`,
    );
  }
};
