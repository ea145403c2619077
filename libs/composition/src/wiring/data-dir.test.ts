import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

/** Runs a shell script in its own mount namespace, as root there, but without rights outside of it. */
const runIsolated = (script: string, ...args: readonly string[]) =>
  spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...args], { encoding: 'utf8' });

const canMount = runIsolated('mount -t tmpfs -o ro tmpfs /tmp').status === 0;

test.skipIf(!canMount)('creating a nested folder on a read-only file system fails with this reason', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-read-only-'));
  onTestFinished(() => rmdirSync(folder));
  const dataDir = join(folder, 'new', 'data');
  const source = `
    import { prepareDataDir } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'data-dir.ts')).href)};
    try { prepareDataDir({ dataDir: ${JSON.stringify(dataDir)} }); } catch ({ message }) { console.log(message); }`;
  const script = 'mount -t tmpfs -o ro tmpfs "$1" && exec "$2" -C @portico/source --input-type=module -e "$3"';
  const { stdout, stderr } = runIsolated(script, folder, process.execPath, source);
  expect(stderr).toBe('');
  expect(stdout).toContain(`DATA_DIR: ${dataDir} cannot be used: the file system is read-only (EROFS)`);
});
