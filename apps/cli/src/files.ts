import { lstat, readFile } from 'node:fs/promises';

export const fileExists = async (path: string): Promise<boolean> => (await nullIfMissing(() => lstat(path))) !== null;

/** Returns a file's content; null if the file does not exist. */
export const contentOf = (path: string): Promise<Buffer | null> => nullIfMissing(() => readFile(path));

const nullIfMissing = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
