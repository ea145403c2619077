import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const samplesFolder = resolve(import.meta.dirname, '../../../../shared/data/specs');
/** The maximum size of a real document, in bytes: larger ones would only take longer. */
const bytesMax = 150_000;

/** Returns `count` documents with unique titles, by file name: real ones, supplemented by generated ones. */
export const documentsForImport = (count: number): ReadonlyMap<string, { title: string; text: string }> => {
  const titles = new Set<string>();
  const documents = new Map<string, { title: string; text: string }>();
  for (const file of sampleFiles()) {
    const text = readFileSync(join(samplesFolder, file), 'utf8');
    const { info } = JSON.parse(text) as { info?: { title?: string } };
    if (!info?.title || titles.has(info.title)) continue;
    titles.add(info.title);
    documents.set(file, { title: info.title, text });
    if (documents.size === count) return documents;
  }
  for (let number = documents.size + 1; number <= count; number++) {
    const title = `Harbour API ${number}`;
    documents.set(`harbour-${number}.json`, { title, text: generatedDocument(title) });
  }
  return documents;
};

const sampleFiles = (): readonly string[] =>
  existsSync(samplesFolder)
    ? readdirSync(samplesFolder)
        .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
        .filter((file) => statSync(join(samplesFolder, file)).size <= bytesMax)
        .sort()
    : [];

const generatedDocument = (title: string): string =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title, version: '1' },
    paths: { '/ships': { get: { summary: 'Lists ships', responses: { 200: { description: 'Ships' } } } } },
  });
