import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../service-process.ts';

const real = resolve(root, '../shared/data/specs');
const wanted = 30;
/** Larger ones only take longer. */
const bytesMax = 150_000;

/** Copies 30 real documents with titles of their own into the folder; the project's samples if there are none. */
export const copyDocuments = (folder: string): number => {
  mkdirSync(folder, { recursive: true });
  const [source, files] = existsSync(real) ? [real, realFiles()] : [join(root, 'samples'), sampleFiles()];
  for (const file of files) copyFileSync(join(source, file), join(folder, file));
  return files.length;
};

const sampleFiles = (): readonly string[] =>
  readdirSync(join(root, 'samples')).filter((file) => /\.(json|ya?ml)$/.test(file));

const realFiles = (): readonly string[] => {
  const titles = new Set<string>();
  const files: string[] = [];
  for (const file of readdirSync(real).sort()) {
    if (!file.endsWith('.json') || file === 'manifest.json' || statSync(join(real, file)).size > bytesMax) continue;
    const { info } = JSON.parse(readFileSync(join(real, file), 'utf8')) as { info?: { title?: string } };
    if (!info?.title || titles.has(info.title)) continue;
    titles.add(info.title);
    files.push(file);
    if (files.length === wanted) break;
  }
  return files;
};
