import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a new file for its owner alone; it is on disk once this resolves. Throws `EEXIST` if the file exists. */
export const writeNewFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Replaces a file atomically, for its owner alone: after a crash it is the old or the new one. `draft` is in its folder. */
export const replaceFile = async (path: string, content: string | Uint8Array, draft = `${path}.tmp`): Promise<void> => {
  // Left over from a killed process.
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

/** Syncs a folder's entries to disk. Windows does so by itself, and cannot open folders. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
