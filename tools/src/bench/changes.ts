import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createDocumentReader } from '@portico/composition';
import type { Json, JsonObject, PackedText } from '@portico/domain';
import { root } from '../service-process.ts';
import { reportFigures } from './report.ts';

/**
 * `npm run bench:changes`: compares large real documents with a copy that has one edit, in the thread that reads documents:
 * the time, the memory of the process, and the longest wait of the main thread meanwhile. `-- FOLDER` for other documents.
 */
const folder = process.argv[2] ?? resolve(root, '../shared/data/specs');
const files = ['stripe.com.json', 'github.com-ghes.json', 'cloudflare.com.json', 'twilio.com-api.json'];
const runs = 5;

/** Returns a document with one edit in the middle of its schemas: the type of one property. */
const edit = (text: string): string => {
  const document = JSON.parse(text) as JsonObject;
  const places = [...listTexts(document['components'] ?? document)];
  const place = places[Math.floor(places.length / 2)];
  if (!place) throw new Error('The document has no property with the type string');
  place['type'] = 'integer';
  return JSON.stringify(document);
};

function* listTexts(value: Json | undefined): Generator<Record<string, Json>> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value as JsonObject)) {
    if (name === 'properties' && typeof member === 'object' && member !== null)
      for (const schema of Object.values(member as JsonObject))
        if ((schema as JsonObject | null)?.['type'] === 'string') yield schema as Record<string, Json>;
    yield* listTexts(member);
  }
}

const measure = async (file: string): Promise<void> => {
  const text = readFileSync(resolve(folder, file), 'utf8');
  const reader = createDocumentReader();
  try {
    const read = async (content: string): Promise<PackedText> => (await reader.readFile(Buffer.from(content))).packed;
    const [before, after] = [await read(text), await read(edit(text))];
    const delays = monitorEventLoopDelay({ resolution: 1 });
    const times: number[] = [];
    let memory = 0;
    const sample = setInterval(() => (memory = Math.max(memory, process.memoryUsage().rss)), 20);
    const memoryBefore = process.memoryUsage().rss;
    for (let run = 0; run < runs; run++) {
      delays.enable();
      const startedAt = performance.now();
      const { counts } = await reader.compare(before, after, null);
      times.push(performance.now() - startedAt);
      delays.disable();
      if (counts.breaking + counts.warning + counts.info === 0) throw new Error(`${file}: the edit was not reported`);
    }
    clearInterval(sample);
    const median = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
    reportFigures(`${file}, ${(text.length / 1e6).toFixed(1)} MB`, [
      { name: 'comparison, median', ms: median, budgetMs: 2_000 },
      { name: 'comparison, longest', ms: times.at(-1) ?? 0, budgetMs: 2_000 },
      { name: 'longest wait of the main thread', ms: delays.max / 1e6, budgetMs: 50 },
    ]);
    const megabytes = (bytes: number) => Math.round(bytes / 1e6);
    console.log(
      `memory: ${megabytes(memoryBefore)} MB before, and up to ${megabytes(memory - memoryBefore)} MB more\n`,
    );
  } finally {
    await reader.close();
  }
};

for (const file of files) await measure(file);
