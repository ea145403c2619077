import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a new file that only its owner can access. Resolves once the file is on disk. Throws `EEXIST` if the file
 * already exists.
 */
export const writeNewFile = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * Replaces a file atomically with one that only its owner can access. A crash leaves either the old or the new file.
 */
export const replaceFile = async (path: string, content: string | Uint8Array, draft = `${path}.tmp`): Promise<void> => {
  // A process that was killed may have left the draft behind.
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

/** Syncs a folder's entries to disk. Windows does this implicitly, and cannot open folders. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
