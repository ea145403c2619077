import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OperatorError } from '../terminal.ts';

export interface Source {
  /** The path, as the operator would write it. */
  readonly file: string;
  /** Identifies the collection when the document is imported again. */
  readonly importKey: string;
  /** Whether the file was found in a folder or by a glob, rather than specified by its path. */
  readonly isDiscovered: boolean;
  /**
   * Whether the file was found in a folder although its name is not that of a document: it counts only if it is one.
   */
  readonly isCandidate: boolean;
  /** The path among the arguments that the file belongs to. */
  readonly argument: string;
  /** The folder in which the files that the document refers to are read. */
  readonly folder: string;
}

const isDocumentName = (file: string): boolean => /\.(?:json|ya?ml)$/i.test(file);
/** Links are not followed, because they may form a cycle or point outside the folder. */
const globOptions = { onlyFiles: true, followSymbolicLinks: false } as const;

/** The parts of an import key other than the path. */
export interface KeyOptions {
  readonly base?: string;
  readonly source?: string;
}

/**
 * Returns the files that the paths match, without duplicates, in the order of the paths; files that match the same path
 * are sorted by name. A path may be a link, but links inside a folder are not followed. Throws an `OperatorError` if a
 * path matches no file.
 */
export const findSources = async (paths: readonly string[], options: KeyOptions): Promise<readonly Source[]> => {
  const sources = new Map<string, Source>();
  for (const path of paths) {
    for (const { file, ...details } of await filesOf(path)) {
      const absolutePath = resolve(file);
      if (!sources.has(absolutePath))
        sources.set(absolutePath, { file, importKey: keyOf(absolutePath, options), argument: path, ...details });
    }
  }
  return [...sources.values()];
};

/**
 * Returns a file's import key. With a source, the key does not depend on the machine; without one, it identifies a file
 * on this machine.
 */
const keyOf = (absolutePath: string, { base, source }: KeyOptions): string => {
  if (source !== undefined) return `${source}:${relative(resolve(base ?? '.'), absolutePath).replaceAll('\\', '/')}`;
  return `file:${base === undefined ? absolutePath : relative(resolve(base), absolutePath)}`;
};

type SourceFile = Omit<Source, 'importKey' | 'argument'>;

const filesOf = async (path: string): Promise<readonly SourceFile[]> => {
  const kind = await kindOf(path);
  if (kind === 'file') return [{ file: path, isDiscovered: false, isCandidate: false, folder: dirname(path) }];
  const files = kind === 'folder' ? await listFolder(path) : await glob(path, globOptions);
  if (files.length === 0)
    throw new OperatorError(`${path}: ${kind === 'folder' ? 'contains no OpenAPI document' : 'no file matches'}`);
  const folder = kind === 'folder' ? path : folderOf(path);
  return files.sort().map((file) => {
    return { file, isDiscovered: true, isCandidate: kind === 'folder' && !isDocumentName(file), folder };
  });
};

/** Returns the files that are named like documents, and others that mention OpenAPI or Swagger. */
const listFolder = async (folder: string): Promise<string[]> => {
  const files: string[] = [];
  for (const name of await glob('**', { ...globOptions, cwd: folder })) {
    const file = `${folder.replace(/\/+$/, '')}/${name}`;
    if (isDocumentName(file) || (!name.split('/').includes('node_modules') && (await mentionsVersion(file))))
      files.push(file);
  }
  return files;
};

/** The maximum size of a file that is read only because it may be a document, in bytes. */
const candidateBytesMax = 33_554_432;

/** Whether a file contains a member name of a document's version, in any encoding. */
const mentionsVersion = async (file: string): Promise<boolean> => {
  try {
    const { size } = await stat(file);
    if (size > candidateBytesMax) return false;
    const text = (await readFile(file)).toString('latin1').replaceAll('\0', '');
    return /(?:openapi|swagger)["']?\s*:/.test(text);
  } catch {
    return false; // Not readable, so not recognizable as a document.
  }
};

/** Returns the folder that a pattern starts from. */
const folderOf = (pattern: string): string => {
  const segments = pattern.split('/');
  const end = segments.findIndex((segment) => isDynamicPattern(segment));
  return segments.slice(0, end).join('/') || (pattern.startsWith('/') ? '/' : '.');
};

const kindOf = async (path: string): Promise<'file' | 'folder' | 'pattern'> => {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (isDynamicPattern(path)) return 'pattern';
    throw new OperatorError(
      `${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or folder' : 'cannot be read'}`,
    );
  }
};
