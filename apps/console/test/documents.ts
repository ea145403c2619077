import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const real = resolve(import.meta.dirname, '../../../../shared/data/specs');
/** Larger ones only take longer. */
const bytesMax = 150_000;

/** So many documents with titles of their own, by the names of their files: real ones, or made ones if there are none. */
export const documentsForImport = (wanted: number): ReadonlyMap<string, { title: string; text: string }> => {
  const titles = new Set<string>();
  const documents = new Map<string, { title: string; text: string }>();
  for (const file of realFiles()) {
    const text = readFileSync(join(real, file), 'utf8');
    const { info } = JSON.parse(text) as { info?: { title?: string } };
    if (!info?.title || titles.has(info.title)) continue;
    titles.add(info.title);
    documents.set(file, { title: info.title, text });
    if (documents.size === wanted) return documents;
  }
  for (let number = documents.size + 1; number <= wanted; number++) {
    const title = `Harbour API ${number}`;
    documents.set(`harbour-${number}.json`, { title, text: madeOf(title) });
  }
  return documents;
};

const realFiles = (): readonly string[] =>
  existsSync(real)
    ? readdirSync(real)
        .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
        .filter((file) => statSync(join(real, file)).size <= bytesMax)
        .sort()
    : [];

const madeOf = (title: string): string =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title, version: '1' },
    paths: { '/ships': { get: { summary: 'Lists ships', responses: { 200: { description: 'Ships' } } } } },
  });
