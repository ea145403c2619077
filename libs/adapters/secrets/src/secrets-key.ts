import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The 32 bytes that a base64 text says; raises without repeating the text. */
export const parseSecretsKey = (text: string): Uint8Array => {
  const trimmed = text.trim();
  if (!/^[0-9A-Za-z+/]{43}=$/.test(trimmed)) throw new Error('A secrets key is 32 bytes in base64 (44 characters)');
  return Buffer.from(trimmed, 'base64');
};

/**
 * The key in this file, which is made (mode 0600) where there is none. Of several processes that do so at once all end with the
 * same key. Raises, naming the file, where it holds no key.
 */
export const ensureKeyFile = async (path: string): Promise<{ readonly key: Uint8Array; readonly made: boolean }> => {
  const made = (await exists(path)) ? false : await makeKeyFile(path);
  const text = await readFile(path, 'utf8');
  try {
    return { key: parseSecretsKey(text), made };
  } catch (error) {
    throw new Error(`${path} does not hold a secrets key: 32 bytes in base64 are expected`, { cause: error });
  }
};

const exists = async (path: string): Promise<boolean> => {
  try {
    await readFile(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
};

/** Written whole under another name, then linked to its own, which fails where another process was first. */
const makeKeyFile = async (path: string): Promise<boolean> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};
