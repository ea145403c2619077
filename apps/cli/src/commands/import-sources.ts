import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { OperatorError } from '../terminal.ts';

export interface Source {
  /** The path as the operator would write it. */
  readonly file: string;
  /** Identifies the collection at the next import. */
  readonly importKey: string;
  /** Whether it was found in a folder or by a glob, rather than named. */
  readonly isDiscovered: boolean;
}

const documentGlob = '**/*.{json,yaml,yml}';
/** A link may lead in a circle, or out of the folder. */
const globOptions = { onlyFiles: true, followSymbolicLinks: false } as const;

/** The parts of an import key besides the path. */
export interface KeyOptions {
  readonly base?: string;
  readonly source?: string;
}

/**
 * Returns the files that the paths match, each once, in the order of the paths and by name within each. A path may be a
 * link; links inside a folder are not followed. Throws `OperatorError` if a path matches no file.
 */
export const findSources = async (paths: readonly string[], options: KeyOptions): Promise<readonly Source[]> => {
  const sources = new Map<string, Source>();
  for (const path of paths) {
    for (const { file, isDiscovered } of await filesOf(path)) {
      const absolute = resolve(file);
      if (!sources.has(absolute)) sources.set(absolute, { file, importKey: keyOf(absolute, options), isDiscovered });
    }
  }
  return [...sources.values()];
};

/** With a source, a key does not depend on the machine; without one, it names a file on this machine. */
const keyOf = (absolute: string, { base, source }: KeyOptions): string => {
  if (source !== undefined) return `${source}:${relative(resolve(base ?? '.'), absolute).replaceAll('\\', '/')}`;
  return `file:${base === undefined ? absolute : relative(resolve(base), absolute)}`;
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
