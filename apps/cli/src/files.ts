import { lstat, readFile } from 'node:fs/promises';

export const isThere = async (path: string): Promise<boolean> => (await textOrNull(() => lstat(path))) !== null;

/** What a file holds; null where there is none. */
export const contentOf = (path: string): Promise<Buffer | null> => textOrNull(() => readFile(path));

const textOrNull = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
