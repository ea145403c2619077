import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

// Builds the console into `dist`. With --if-changed only if what it is made of has changed since the last time. Of
// several that start at once, one builds and the others wait for it.
const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
const folder = import.meta.dirname;
const madeOf = join(folder, 'dist/made-of.txt');
const lock = join(tmpdir(), `portico-console-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.lock`);
/** The builder touches its lock each second; one that was killed leaves a lock that grows old. */
const deadAfterMs = 10_000;

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

const isBuiltOf = (wanted) => existsSync(madeOf) && readFileSync(madeOf, 'utf8').trim() === wanted;

const locked = async (work) => {
  while (!taken()) await pause(100);
  const touching = setInterval(() => utimesSync(lock, new Date(), new Date()), 1_000);
  try {
    await work();
  } finally {
    clearInterval(touching);
    rmSync(lock, { recursive: true, force: true });
  }
};

const taken = () => {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > deadAfterMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
};

const build = async () => {
  const wanted = digest();
  if (values['if-changed'] && isBuiltOf(wanted)) return;
  // Of any other environment, such as that of tests, Vite would build React for its developers: larger and slower.
  process.env.NODE_ENV = 'production';
  const vite = await import('vite').catch(() => null);
  if (!vite) {
    console.error('The console is not built: Vite is not installed here. The service works without it.');
    return;
  }
  console.error('Building the console …');
  await vite.build({ configFile: join(folder, 'vite.config.mjs'), logLevel: 'warn' });
  writeFileSync(madeOf, `${wanted}\n`);
};

if (!(values['if-changed'] && isBuiltOf(digest()))) await locked(build);
