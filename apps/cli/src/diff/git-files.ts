import { execFile } from 'node:child_process';
import { posix, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../terminal.ts';

/** The files of one revision of the Git repository around the current folder. */
export interface GitFiles {
  /** The repository's root folder. */
  readonly root: string;
  /** Reads a file by its path relative to the root. Throws `GitFileError` if the revision has no such file. */
  read(path: string): Promise<Buffer>;
  /** Reads a file by its absolute path. */
  readAbsolute(path: string): Promise<Buffer>;
  /** Returns the path relative to the root: `./` and `../` start from the current folder, as in Git. */
  pathOf(path: string): string;
}

/** The error for a file that a revision does not have; its message completes `it …`. */
export class GitFileError extends Error {}

/** The maximum size of a file, in bytes. */
const fileBytesMax = 67_108_864;

/**
 * Opens a revision, such as `HEAD~1`. Runs `git` without a shell, and passes it the file by the id of the revision's
 * tree: nothing in a revision can become an option. Throws an `OperatorError` if Git or the revision is missing.
 */
export const openRevision = async (revision: string): Promise<GitFiles> => {
  if (revision.startsWith('-')) throw new OperatorError(`${revision}: a revision does not start with "-"`);
  const [root = '', prefix = ''] = (await runGit(['rev-parse', '--show-toplevel', '--show-prefix'], notRepository))
    .toString()
    .split('\n');
  const unknownRevision = `${revision}: no such revision; a shallow clone may lack it ("git fetch --unshallow")`;
  const tree = (await runGit(['rev-parse', '--verify', '--quiet', `${revision}^{tree}`], unknownRevision)).toString();
  const read = (path: string) => readBlob(`${tree.trim()}:${path}`);
  return {
    root,
    read,
    readAbsolute: (path) => read(relative(resolve(root), path).split(sep).join('/')),
    pathOf: (path) => (/^\.\.?\//.test(path) ? posix.normalize(`${prefix}${path}`) : path),
  };
};

const notRepository = 'the current folder is not in a Git repository: run this in one, or pass two files';

const readBlob = async (object: string): Promise<Buffer> => {
  try {
    return await runGit(['cat-file', 'blob', object], '');
  } catch (error) {
    if (!(error instanceof OperatorError) || error.message !== '') throw error;
    throw new GitFileError('is not a file of this revision', { cause: error });
  }
};

/** Runs `git`. Throws an `OperatorError` with this message if it fails. */
const runGit = async (args: readonly string[], failureMessage: string): Promise<Buffer> => {
  try {
    const { stdout } = await promisify(execFile)('git', args, {
      encoding: 'buffer',
      maxBuffer: fileBytesMax,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    });
    return stdout;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT') throw new OperatorError('git was not found: install it, or pass two files');
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      throw new OperatorError(`a file is larger than ${fileBytesMax} bytes`);
    if (typeof code === 'number') throw new OperatorError(failureMessage);
    throw error;
  }
};
