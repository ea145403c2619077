import {
  type CollectionId,
  type HybridVector,
  type OperationBlockChange,
  type OperationKey,
  packOperations,
} from '@portico/domain';
import { createEmbeddedOperationIndex } from '@portico/vectors';
import { createDice, type Dice } from '../big-catalog/dice.ts';
import { idAt, idsAfter } from '../numbered-collections.ts';
import type { Curve, Row } from './curve.ts';
import { longestHoldMs, residentMiB, timed } from './timing.ts';

const [modelId, dimension, features, vocabulary, operationsOfEach] = ['curves', 256, 30, 20_000, 100] as const;
const blockBatch = 20;
const visible = [
  ['all', 1],
  ['10 %', 10],
] as const;

export const operations: Curve = {
  name: 'operations',
  title: 'Operation search by operations',
  x: { label: 'operations', scale: 'log' },
  charts: [
    { unit: 'ms p50', title: 'median, ms', scale: 'log' },
    { unit: 'ms p99', title: '99th percentile, ms', scale: 'log' },
    { unit: 'ms CPU', title: 'CPU for each search, ms', scale: 'log' },
    { unit: 'ms held', title: 'longest that the event loop was held, ms', scale: 'linear' },
    { unit: 'MiB', title: 'memory of the index, MiB', scale: 'linear' },
  ],
  setting:
    `At the port: the embedded operation index, the 50 best of those visible, one search after another; ` +
    `${operationsOfEach} operations for each collection, vectors of ${dimension} dimensions and ${features} words.`,
  reading:
    'Every visible operation is read, so time and CPU follow their number one to one, and what a caller may ' +
    "not see costs nothing. The curve bends upwards where the vectors no longer fit into the processor's caches: " +
    'here between 100,000 and 200,000 operations, where caches are smaller between 10,000 and 50,000. The work is ' +
    'done in turns of a few milliseconds: other requests wait for a turn, not for the search; longer holds here are ' +
    'waits for a core. The index takes half a kilobyte to one for each operation. With 200,000 visible operations ' +
    'a search costs some 11 ms of a core: from there on add replicas, or Qdrant.',
  async *measure({ quick, tell }) {
    let stored = 0;
    const index = createEmbeddedOperationIndex({
      blocks: {
        changedSince: async (after, _model, limit) => changes(after, Math.min(limit, stored - after)),
        collectionsAfter: async (after, _model, limit) => idsAfter(after, stored, limit),
      },
    });
    const dice = createDice(1);
    // The garbage of making them is not the index's: the heap has its size before it is measured.
    for (let at = 0; at < 200; at += blockBatch) changes(at, blockBatch);
    const before = residentMiB();
    for (const size of quick ? [500, 2_000] : [1_000, 10_000, 50_000, 100_000, 200_000]) {
      stored = size / operationsOfEach;
      tell(`${size} operations`);
      const ids = Array.from({ length: stored }, (_, at) => idAt(at));
      const search = (among: readonly CollectionId[]) =>
        index.search({ modelId, vector: vectorOf(dice, 12), among, method: null, limit: 50, asOf: stored });
      await search(ids);
      yield { x: size, series: 'index', value: Math.max(0, residentMiB() - before), unit: 'MiB' };
      for (const [series, nth] of visible) {
        const among = ids.filter((_, at) => at % nth === 0);
        const { p50, p99, cpu } = await timed(
          { warmUp: quick ? 10 : 50, most: quick ? 30 : 500, longestMs: 4_000 },
          () => search(among),
        );
        const held = await longestHoldMs(quick ? 5 : 50, () => search(among));
        yield* [
          { x: size, series, value: p50, unit: 'ms p50' },
          { x: size, series, value: p99, unit: 'ms p99' },
          { x: size, series, value: cpu, unit: 'ms CPU' },
          { x: size, series, value: held, unit: 'ms held' },
        ] satisfies Row[];
      }
    }
  },
};

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** Made when they are asked for, the same each time, so that only the index holds them. */
const changes = (after: number, count: number): readonly OperationBlockChange[] =>
  Array.from({ length: Math.max(0, count) }, (_, at) => {
    const dice = createDice(after + at);
    const indexed = Array.from({ length: operationsOfEach }, (_, position) => ({
      key: dice.uuid<OperationKey>().replaceAll('-', '').slice(0, 16) as OperationKey,
      method: methods[position % methods.length] ?? 'GET',
      vector: vectorOf(dice, features),
    }));
    return {
      collectionId: idAt(after + at),
      modelId,
      sequence: after + at + 1,
      documentDigest: '',
      contentRevision: 1,
      operations: indexed.length,
      packed: packOperations(indexed),
    };
  });

/** Few words are in most texts: the rank of a word falls off exponentially. */
const vectorOf = (dice: Dice, words: number): HybridVector => {
  const found = new Set(
    Array.from({ length: words }, () => Math.floor(Math.exp(dice.fraction() * Math.log(vocabulary)))),
  );
  const dense = new Float32Array(dimension);
  for (let at = 0; at < dimension; at++) dense[at] = dice.fraction() - 0.5;
  return {
    dense,
    sparse: {
      indices: Uint32Array.from([...found].map((word) => Math.imul(word, 2_654_435_761) >>> 0)).sort(),
      weights: Float32Array.from(found, () => 0.1 + dice.fraction()),
    },
  };
};
