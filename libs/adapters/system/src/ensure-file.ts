import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeNewFile } from '@portico/dependencies';

/**
 * Returns the text of this file, creating it for its owner alone (mode 0600) if missing. Several processes may do so at
 * once and get the same text; a crash leaves either no file or a complete one.
 */
export const ensureFile = async (
  path: string,
  make: () => string | Promise<string>,
): Promise<{ readonly text: string; readonly made: boolean }> => {
  const found = await readIfPresent(path);
  if (found !== null) return { text: found, made: false };
  const made = await makeFile(path, await make());
  return { text: await readFile(path, 'utf8'), made };
};

/** The text of the file; null if there is none. */
export const readIfPresent = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** Written completely under another name, then linked to its own, which fails if another process was first. */
const makeFile = async (path: string, text: string): Promise<boolean> => {
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
