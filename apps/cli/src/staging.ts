import { mkdtempSync, rmSync } from 'node:fs';
import { toldHowever } from './interruption.ts';

/**
 * Does the work with a new folder that only its owner can read, and removes it however the work ends: by an error, by a
 * signal, or because the reader of standard output has gone.
 */
export const withStaging = async (prefix: string, work: (folder: string) => Promise<void>): Promise<void> => {
  let folder: string | null = null;
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  try {
    await toldHowever(async () => {
      folder = mkdtempSync(prefix);
      await work(folder);
    }, remove);
  } finally {
    process.off('exit', remove);
  }
};
