import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OperatorError } from '../terminal.ts';

export interface Source {
  /** The path, as the operator would write it. */
  readonly file: string;
  /** Identifies the collection when the document is imported again. */
  readonly importKey: string;
  /** Whether the file was found in a folder or by a glob, rather than specified by its path. */
  readonly isDiscovered: boolean;
}

const documentGlob = '**/*.{json,yaml,yml}';
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
    for (const { file, isDiscovered } of await filesOf(path)) {
      const absolutePath = resolve(file);
      if (!sources.has(absolutePath))
        sources.set(absolutePath, { file, importKey: keyOf(absolutePath, options), isDiscovered });
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

const filesOf = async (path: string): Promise<readonly { readonly file: string; readonly isDiscovered: boolean }[]> => {
  const kind = await kindOf(path);
  if (kind === 'file') return [{ file: path, isDiscovered: false }];
  const files =
    kind === 'folder'
      ? (await glob(documentGlob, { ...globOptions, cwd: path, caseSensitiveMatch: false })).map(
          (file) => `${path.replace(/\/+$/, '')}/${file}`,
        )
      : await glob(path, globOptions);
  if (files.length === 0)
    throw new OperatorError(
      `${path}: ${kind === 'folder' ? 'contains no .json, .yaml or .yml file' : 'no file matches'}`,
    );
  return files.sort().map((file) => ({ file, isDiscovered: true }));
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
