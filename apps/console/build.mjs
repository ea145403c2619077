import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

// Builds the console into `dist`; with --if-changed, only if its sources have changed since the last build. If several
// processes start at the same time, one builds and the others wait.
const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
const folder = import.meta.dirname;
const digestFile = join(folder, 'dist/made-of.txt');
const lock = join(tmpdir(), `portico-console-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.lock`);
/**
 * The building process touches its lock every second, so a lock older than this belongs to a process that was killed.
 */
const staleAfterMs = 10_000;

const digest = () => {
  const sources = globSync(['src/**/*.*', 'index.html', 'build.mjs', 'vite.config.mjs', 'package.json'], {
    cwd: folder,
  }).sort();
  const hash = createHash('sha256');
  for (const path of [...sources, '../../package-lock.json']) {
    hash.update(`${path}\n`).update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
};

const isBuiltFrom = (sources) => existsSync(digestFile) && readFileSync(digestFile, 'utf8').trim() === sources;

const withLock = async (work) => {
  while (!tryLock()) await pause(100);
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), 1_000);
  try {
    await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(lock, { recursive: true, force: true });
  }
};

const tryLock = () => {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleAfterMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
};

const build = async () => {
  const sources = digest();
  if (values['if-changed'] && isBuiltFrom(sources)) return;
  // In any other environment, such as tests, Vite would build the development version of React: larger and slower.
  process.env.NODE_ENV = 'production';
  const vite = await import('vite').catch(() => null);
  if (!vite) {
    console.error('The console is not built: Vite is not installed here. The service works without it.');
    return;
  }
  console.error('Building the console …');
  await vite.build({ configFile: join(folder, 'vite.config.mjs'), logLevel: 'warn' });
  writeFileSync(digestFile, `${sources}\n`);
};

if (!(values['if-changed'] && isBuiltFrom(digest()))) await withLock(build);
