import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that a Vitest hook removes: `createTemporaryFolder(onTestFinished)`, `createTemporaryFolder(afterAll)`. */
export const createTemporaryFolder = (registerCleanup: (remove: () => void) => void): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'));
  registerCleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
