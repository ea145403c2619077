import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeNewFile } from '@portico/dependencies';

/**
 * Returns the file's text. If the file is missing, creates it, readable and writable only by its owner (mode 0600).
 * Concurrent processes all get the same text. After a crash, there is either no file or a complete one.
 */
export const ensureFile = async (
  path: string,
  createText: () => string | Promise<string>,
): Promise<{ readonly text: string; readonly isNew: boolean }> => {
  const existingText = await readIfPresent(path);
  if (existingText !== null) return { text: existingText, isNew: false };
  const isNew = await createFile(path, await createText());
  return { text: await readFile(path, 'utf8'), isNew };
};

/** Returns the file's text; null if there is no file. */
export const readIfPresent = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/**
 * Writes the complete file under a temporary name, then links it to `path`. Returns false if another process was first.
 */
const createFile = async (path: string, text: string): Promise<boolean> => {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeNewFile(draft, text);
    await link(draft, path);
    await syncFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};
