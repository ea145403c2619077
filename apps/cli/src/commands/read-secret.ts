import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';

/**
 * Reads a secret from a file, or from standard input if there is no path or it is `-`. Removes white space at the ends.
 */
export const readSecret = async ({ io }: Terminal, path = '-'): Promise<string> => {
  if (path === '-' && io.stdin.isTTY)
    throw new OperatorError(
      'standard input is a terminal, which would show the secret: pipe the secret in, or pass --file FILE',
      exitCodes.usage,
    );
  const secret = (await (path === '-' ? text(io.stdin) : contentOf(path))).trim();
  if (secret === '') throw new OperatorError('the secret is empty', exitCodes.usage);
  return secret;
};

const contentOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new OperatorError(`--file: ${path} cannot be read (${code})`, exitCodes.usage);
  }
};
