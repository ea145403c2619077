import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a new file for its owner alone, on the disk once this resolves. Throws `EEXIST` where there is one. */
export const writeNewFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Writes a file for its owner alone: after a crash there is the old one or the new one, whole. `draft` is in its folder. */
export const replaceFile = async (path: string, content: string | Uint8Array, draft = `${path}.tmp`): Promise<void> => {
  // What a process left that was killed.
  await rm(draft, { force: true });
  try {
    await writeNewFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/** Puts the names in a folder on the disk. Windows keeps them without, and opens no folder. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
