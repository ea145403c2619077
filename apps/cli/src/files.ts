import { lstat, readFile } from 'node:fs/promises';

export const isThere = async (path: string): Promise<boolean> => (await textOrNull(() => lstat(path))) !== null;

/** The content of a file; null if it does not exist. */
export const contentOf = (path: string): Promise<Buffer | null> => textOrNull(() => readFile(path));

const textOrNull = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
