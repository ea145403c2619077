import { lstat, open, readFile } from 'node:fs/promises';

export const isThere = async (path: string): Promise<boolean> => (await textOrNull(() => lstat(path))) !== null;

/** What a file holds; null where there is none. */
export const contentOf = (path: string): Promise<Buffer | null> => textOrNull(() => readFile(path));

/** Makes a file for its owner alone, which is on the disk once this is fulfilled; throws where there is one already. */
export const writePrivately = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** The names in a folder are on the disk once this is fulfilled. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const textOrNull = async <T>(read: () => Promise<T>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};
