import { embeddingDimension, type EmbeddingChange } from '@portico/domain';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { createDice, type Dice } from '../big-catalog/dice.ts';
import { idAt, idsAfter } from '../numbered-collections.ts';
import type { Curve, Row } from './curve.ts';
import { timed } from './timing.ts';

const modelId = 'curves';
const themes = 200;
/** The share of the collections that a caller may see: every nth. */
const visible = [
  ['all', 1],
  ['10 %', 10],
  ['1 %', 100],
] as const;

export const search: Curve = {
  name: 'search',
  title: 'Search by collections',
  x: { label: 'collections', scale: 'log' },
  charts: [
    { unit: 'ms p50', title: 'median, ms', scale: 'log' },
    { unit: 'ms p99', title: '99th percentile, ms', scale: 'log' },
    { unit: 'ms CPU', title: 'CPU for each search, ms', scale: 'log' },
  ],
  setting:
    'At the port: the embedded vector index, the ten best of those visible, one search after another. Vectors lie ' +
    'around 200 themes; the query is embedded already.',
  reading:
    'Where a caller sees less than a fifth, only that costs: a hundredth of 200,000 collections takes a fifth of what ' +
    'all of them take. From there on it is about as much as all. From some thousand vectors on, the index ' +
    'compares a sketch of each first, and the whole vector of the few that can be among the best; so the curve is ' +
    'flatter than one to one up to 50,000, and follows the number beyond, where the sketches no longer fit into the ' +
    "processor's caches. A search holds the event loop for as long as it takes, 2 ms with all of 200,000. An operator " +
    'does nothing up to there; with many more, replicas or Qdrant (`QDRANT_URL`) keep other requests from waiting.',
  async *measure({ quick, tell }) {
    const dice = createDice(1);
    const centres = Array.from({ length: themes }, () => randomVector(dice));
    let stored = 0;
    const index = createEmbeddedVectorIndex({
      embeddings: {
        changedSince: async (after, _model, limit) => changes(centres, after, Math.min(limit, stored - after)),
        collectionsAfter: async (after, _model, limit) => idsAfter(after, stored, limit),
      },
    });
    for (const size of quick ? [500, 1_000] : [1_000, 10_000, 50_000, 100_000, 200_000]) {
      stored = size;
      tell(`${size} collections`);
      const ids = Array.from({ length: size }, (_, at) => idAt(at));
      await index.search({ modelId, vector: randomVector(dice), among: ids, limit: 1, asOf: stored });
      for (const [series, nth] of visible) {
        const among = ids.filter((_, at) => at % nth === 0);
        const queries = Array.from({ length: 256 }, () => near(dice, dice.one(centres), 0.8));
        const { p50, p99, cpu } = await timed(
          { warmUp: quick ? 20 : 200, most: quick ? 50 : 1_000, longestMs: 4_000 },
          (at) => index.search({ modelId, vector: queries[at % queries.length]!, among, limit: 10, asOf: stored }),
        );
        yield* [
          { x: size, series, value: p50, unit: 'ms p50' },
          { x: size, series, value: p99, unit: 'ms p99' },
          { x: size, series, value: cpu, unit: 'ms CPU' },
        ] satisfies Row[];
      }
    }
  },
};

/** Made when they are asked for, the same each time, so that only the index holds them. */
const changes = (centres: readonly Float32Array[], after: number, count: number): readonly EmbeddingChange[] =>
  Array.from({ length: Math.max(0, count) }, (_, at) => {
    const dice = createDice(after + at);
    return { sequence: after + at + 1, collectionId: idAt(after + at), vector: near(dice, dice.skewed(centres), 1.2) };
  });

const randomVector = (dice: Dice): Float32Array => near(dice, new Float32Array(embeddingDimension), 1);

/** A loop, because hundreds of thousands are made. */
const near = (dice: Dice, centre: Float32Array, far: number): Float32Array => {
  const vector = new Float32Array(embeddingDimension);
  for (let at = 0; at < embeddingDimension; at++) vector[at] = (centre[at] ?? 0) + far * (dice.fraction() - 0.5);
  return vector;
};
