import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that a Vitest hook removes: `temporaryFolder(onTestFinished)`, `temporaryFolder(afterAll)`. */
export const temporaryFolder = (atEnd: (remove: () => void) => void): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
