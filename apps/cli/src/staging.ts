import { mkdtempSync, rmSync } from 'node:fs';
import { runAndFinish } from './run-and-finish.ts';

/**
 * Calls `work` with a new folder that only its owner can read. Removes the folder afterwards, even if an error, a
 * signal, or a closed standard output stops the work early.
 */
export const withStaging = async (prefix: string, work: (folder: string) => Promise<void>): Promise<void> => {
  let folder: string | null = null;
  const remove = (): void => {
    // A signal can arrive while a thread is still writing to the folder, which is then not empty at first.
    if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 20 });
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
