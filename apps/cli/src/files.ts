import { lstat, readFile } from 'node:fs/promises';

export const fileExists = async (path: string): Promise<boolean> => (await readOrNull(() => lstat(path))) !== null;

/** Returns a file's content; null if the file does not exist. */
export const contentOf = (path: string): Promise<Buffer | null> => readOrNull(() => readFile(path));

const readOrNull = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
