import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { embeddingDimension, type EmbeddingChange } from '@portico/domain';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { createWordVectorEmbedder } from '@portico/word-vectors';
import { idAt, idsAfter, numberOf } from '../numbered-collections.ts';

/**
 * Measures searches by the in-process index of collections, and how many of the best of all it returns, and prints the
 * figures as JSON: `node --expose-gc -C @portico/source tools/src/bench/vector-index-figures.ts --count 10000,100000
 * --texts FILE`. The vectors of `words` are those of the built-in embedder, for texts that are put together from the
 * sentences of a file with a text in each line, or from invented ones; those of `model` lie as a language model's do, in
 * clusters around a mean. Each time is the least of `repeats` searches, since a busy machine only adds to it.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000,100000' },
    queries: { type: 'string', default: '200' },
    repeats: { type: 'string', default: '5' },
    kinds: { type: 'string', default: 'words,model' },
    texts: { type: 'string' },
  },
});
const counts = values.count.split(',').map(Number);
const queryCount = Number(values.queries);
const modelId = 'm';

let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const below = (size: number): number => Math.floor(size * random());
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

interface Sample {
  readonly vectors: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

/** About what APIs do. */
const inventedSentences = (): readonly string[] => {
  const verbs = 'list create update delete find send track convert verify export schedule translate'.split(' ');
  const nouns =
    'weather invoice payment customer parcel photo match player recipe flight hotel loan currency patient vehicle'.split(
      ' ',
    );
  const details = 'city month account country language address deadline price region status'.split(' ');
  const of = (words: readonly string[]) => words[below(words.length)] ?? '';
  return Array.from(
    { length: 20_000 },
    () => `${of(verbs)} the ${of(nouns)} of a ${of(nouns)} by ${of(details)} and ${of(details)} x${below(3_000)}`,
  );
};

const ofWords = async (count: number): Promise<Sample> => {
  const sentences = values.texts
    ? readFileSync(values.texts, 'utf8')
        .split(/\n|\. /)
        .filter((sentence) => sentence.length > 12)
    : inventedSentences();
  const sentence = () => sentences[below(sentences.length)] ?? '';
  const embedder = createWordVectorEmbedder();
  const embed = async (text: string, purpose: 'document' | 'query') =>
    (await embedder.embed([text], purpose)).vectors[0] ?? new Float32Array(embeddingDimension);
  const vectors: Float32Array[] = [];
  while (vectors.length < count) {
    const copied = vectors[below(vectors.length)];
    // Some are as another: catalogs have the same API for several regions.
    if (copied && random() < 0.03) vectors.push(copied);
    else {
      const description = Array.from({ length: 1 + below(4) }, sentence).join('. ');
      vectors.push(await embed(`${sentence().slice(0, 60)}\n${description.slice(0, 2_000)}`, 'document'));
    }
  }
  const queries: Float32Array[] = [];
  while (queries.length < queryCount) {
    const words = sentence().split(' ');
    const start = below(Math.max(1, words.length - 6));
    queries.push(await embed(words.slice(start, start + 3 + below(6)).join(' '), 'query'));
  }
  return { vectors, queries };
};

const ofModel = (count: number): Sample => {
  // A few directions have most of the variance.
  const spread = Float64Array.from({ length: embeddingDimension }, (_, i) => 1 / Math.sqrt(1 + ((i * 7) % 768) / 30));
  const size = Math.hypot(...spread);
  const around = (centre: Float64Array, distance: number) =>
    centre.map((x, i) => x + (distance * normal() * (spread[i] ?? 0)) / size);
  const mean = around(new Float64Array(embeddingDimension), 1);
  const centres = Array.from({ length: 400 }, () => around(mean, 0.45));
  const next = (distance: number) => Float32Array.from(around(centres[below(400)] ?? mean, distance));
  const vectors: Float32Array[] = [];
  while (vectors.length < count) vectors.push((random() < 0.03 ? vectors[below(vectors.length)] : null) ?? next(0.5));
  return { vectors, queries: Array.from({ length: queryCount }, (_, i) => next(i % 4 === 0 ? 0.9 : 0.5)) };
};

const samples: Readonly<Record<string, (count: number) => Promise<Sample> | Sample>> = {
  words: ofWords,
  model: ofModel,
};

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((x, y) => x - y)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? Number.NaN;

/** The score of the last of the best, by plain comparison. */
const lastOf = (visible: readonly Float32Array[], query: Float32Array, limit: number): number => {
  const scores = Float64Array.from(visible, (vector) => {
    let [product, squares] = [0, 0];
    for (let i = 0; i < embeddingDimension; i += 1) {
      const x = vector[i] ?? 0;
      product += x * (query[i] ?? 0);
      squares += x * x;
    }
    return product / Math.sqrt(squares);
  });
  const length = Math.hypot(...query);
  return Math.max(0, (scores.sort().at(-limit) ?? 0) / length);
};

const figures: object[] = [];
for (const kind of values.kinds.split(',')) {
  for (const count of counts) {
    const { vectors, queries } = (await samples[kind]?.(count)) ?? { vectors: [], queries: [] };
    const changes = vectors.map((vector, i): EmbeddingChange => ({ collectionId: idAt(i), sequence: i + 1, vector }));
    const index = createEmbeddedVectorIndex({
      embeddings: {
        changedSince: async (after, _modelId, limit) => changes.slice(after, after + limit),
        collectionsAfter: async (after, _modelId, limit) => idsAfter(after, changes.length, limit),
      },
    });
    const before = memory();
    const started = performance.now();
    const [first = new Float32Array(embeddingDimension).fill(1)] = queries;
    await index.search({ modelId, vector: first, among: [idAt(0)], limit: 1, asOf: count });
    const [buildMs, kept] = [performance.now() - started, memory() - before];
    for (const share of [0.01, 0.1, 1]) {
      const among = changes.filter(() => random() < share).map(({ collectionId }) => collectionId);
      const visible = among.map((id) => vectors[numberOf(id)] ?? first);
      for (const limit of [10, 100]) {
        const times: number[] = [];
        let [found, wanted] = [0, 0];
        for (const [i, vector] of queries.entries()) {
          const search = () => index.search({ modelId, vector, among, limit, asOf: count });
          const { matches } = await search();
          let least = Infinity;
          for (let repeat = 0; repeat < Number(values.repeats); repeat += 1) {
            const from = performance.now();
            await search();
            least = Math.min(least, performance.now() - from);
          }
          times.push(least);
          // The comparison is slow.
          if (i >= 50) continue;
          const last = lastOf(visible, vector, limit) - 1e-6;
          wanted += Math.min(limit, visible.length);
          found += Math.min(limit, matches.filter(({ score }) => score >= last).length);
        }
        const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
        figures.push({ kind, count, share, limit, p50, p99, recall: found / wanted, buildMs, keptMiB: kept / 2 ** 20 });
      }
    }
  }
}
console.log(JSON.stringify(figures));

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
