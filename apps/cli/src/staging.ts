import { mkdtempSync, rmSync } from 'node:fs';
import { runAndFinish } from './run-and-finish.ts';

/**
 * Does the work with a new folder that only its owner can read, and removes it even if the work ends by an error, by a
 * signal, or because the reader of standard output has gone.
 */
export const withStaging = async (prefix: string, work: (folder: string) => Promise<void>): Promise<void> => {
  let folder: string | null = null;
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  try {
    await runAndFinish(async () => {
      folder = mkdtempSync(prefix);
      await work(folder);
    }, remove);
  } finally {
    process.off('exit', remove);
  }
};
