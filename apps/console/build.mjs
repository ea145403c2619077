import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Builds the console into `dist`. With --if-changed only if what it is made of has changed since the last time.
const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } });
const folder = import.meta.dirname;
const madeOf = join(folder, 'dist/made-of.txt');

const digest = () => {
  const sources = globSync(['src/**/*.*', 'index.html', 'vite.config.mjs', 'package.json'], { cwd: folder }).sort();
  const hash = createHash('sha256');
  for (const path of [...sources, '../../package-lock.json']) {
    hash.update(`${path}\n`).update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
};

const wanted = digest();
const isBuilt = existsSync(madeOf) && readFileSync(madeOf, 'utf8').trim() === wanted;
if (isBuilt && values['if-changed']) process.exit(0);
const { build } = await import('vite');
console.error('Building the console …');
await build({ configFile: join(folder, 'vite.config.mjs'), logLevel: 'warn' });
writeFileSync(madeOf, `${wanted}\n`);
