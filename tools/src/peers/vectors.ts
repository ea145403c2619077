import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { embeddingDimension, type EmbeddingPurpose } from '@portico/domain';
import { createWordVectorEmbedder } from '@portico/word-vectors';
import { createDice, type Dice } from '../big-catalog/dice.ts';

export interface Vectors {
  /** What they are, in words. */
  readonly source: string;
  /** Of length 1. */
  readonly rows: readonly Float32Array[];
  /** Like the rows, but none of them. */
  readonly queries: readonly Float32Array[];
}

/** Vectors of real texts, if `data` has enough of them; else made-up ones in clusters. The same at every call. */
export const openVectors = async (data: string | null, rows: number, queries: number): Promise<Vectors> => {
  const dice = createDice(1);
  const texts = data === null ? [] : shuffled(textsIn(data), dice);
  if (texts.length < rows + queries) return madeUp(rows, queries, dice);
  const embedder = createWordVectorEmbedder();
  const embed = async (own: readonly string[], purpose: EmbeddingPurpose) => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < own.length; at += batchSize)
      vectors.push(...(await embedder.embed(own.slice(at, at + batchSize), purpose)).vectors);
    return vectors;
  };
  const asked = texts.slice(rows, rows + queries).map((text) => text.split(/\s+/).slice(0, queryWords).join(' '));
  return {
    source: `descriptions of real APIs and of their operations, by the built-in embedder; queries are the first ${queryWords} words of others`,
    rows: await embed(texts.slice(0, rows), 'document'),
    queries: await embed(asked, 'query'),
  };
};

const [batchSize, queryWords, shortestText] = [100, 8, 40];

interface Api {
  readonly name: string;
  readonly description: string;
}

interface Training {
  readonly ops: string;
}

const textsIn = (data: string): readonly string[] => {
  const recordsOf = <Kind>(name: string): readonly Kind[] => {
    const file = join(data, name);
    if (!existsSync(file)) return [];
    const bytes = readFileSync(file);
    const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Kind);
  };
  const texts = new Set(
    recordsOf<Api>('catalog.jsonl').map(({ name, description }) => `${name}\n${description.slice(0, 1_000)}`),
  );
  for (const { ops } of recordsOf<Training>('training-text.jsonl.gz'))
    for (const sentence of ops.split(' . ')) if (sentence.length >= shortestText) texts.add(sentence.slice(0, 1_000));
  return [...texts];
};

const shuffled = <T>(all: readonly T[], dice: Dice): readonly T[] => {
  const items = [...all];
  for (let at = items.length - 1; at > 0; at--) {
    const other = dice.below(at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
};

const [clusters, spread] = [500, 0.7];

const madeUp = (rows: number, queries: number, dice: Dice): Vectors => {
  const around = (centre: Float32Array | null): Float32Array => {
    const vector = Float32Array.from(
      { length: embeddingDimension },
      (_, at) =>
        (centre?.[at] ?? 0) + (centre ? spread : 1) * ((dice.fraction() - 0.5) / Math.sqrt(embeddingDimension / 12)),
    );
    const length = Math.hypot(...vector);
    return vector.map((x) => x / length);
  };
  const centres = Array.from({ length: clusters }, () => around(null));
  const drawn = (count: number) => Array.from({ length: count }, () => around(dice.one(centres)));
  return { source: `made up, around ${clusters} centres`, rows: drawn(rows), queries: drawn(queries) };
};
