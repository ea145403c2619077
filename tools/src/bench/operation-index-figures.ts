import { setTimeout } from 'node:timers/promises';
import {
  type CollectionId,
  type HybridVector,
  type IndexedOperation,
  type OperationBlockChange,
  type OperationKey,
  packOperations,
} from '@portico/domain';
import { createEmbeddedOperationIndex } from '@portico/vectors';
import { idAt, idsAfter } from '../numbered-collections.ts';
import { quantile } from './statistics.ts';
import { cpuMs, timed } from './timed.ts';

/**
 * Measures the in-process index of operations in a process of its own (`--expose-gc`), and prints the figures as JSON;
 * V8 runs as in the service with `--max-semi-space-size=32 --v8-pool-size=0`.
 * Vectors have 256 dimensions and 30 features each, whose frequencies fall as those of words do.
 */
const [collections, greatest, total, dimension, features] = [600, 1_700, 100_000, 256, 30];
const modelId = 'm';

let seed = 1;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

const vectorOf = (count: number): HybridVector => {
  // Few words are in most texts: the rank of a word falls off exponentially.
  const words = new Set(Array.from({ length: count }, () => Math.floor(Math.exp(random() * Math.log(20_000)))));
  return {
    dense: Float32Array.from({ length: dimension }, () => random() - 0.5),
    sparse: {
      indices: Uint32Array.from([...words].map((word) => Math.imul(word, 2_654_435_761) >>> 0)).sort(),
      weights: Float32Array.from(words, random),
    },
  };
};

const operationsOf = (count: number): readonly IndexedOperation[] =>
  Array.from({ length: count }, (_, i) => ({
    key: Math.floor(random() * 2 ** 50)
      .toString(32)
      .padStart(16, 'a') as OperationKey,
    method: ['GET', 'POST', 'PUT', 'DELETE'][i % 4] ?? '',
    vector: vectorOf(features),
  }));

const changes: OperationBlockChange[] = [];
const put = (number: number, operations: readonly IndexedOperation[]): number => {
  const sequence = (changes.at(-1)?.sequence ?? 0) + 1;
  const packed = packOperations(operations);
  changes.push({
    collectionId: idAt(number),
    modelId,
    sequence,
    documentDigest: '',
    contentRevision: 1,
    operations: operations.length,
    packed,
  });
  return sequence;
};

const collect = globalThis.gc;
if (!collect) throw new Error('The memory is measured with --expose-gc');
/** What was freed is given back a little later. */
const memory = async () => {
  collect();
  await setTimeout(1_000);
  return process.memoryUsage().rss;
};

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((x, y) => x - y)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const usual = Math.floor((total - greatest) / (collections - 1));
for (let number = 0; number < collections; number += 1) put(number, operationsOf(number === 0 ? greatest : usual));
const large = operationsOf(greatest);
for (let i = 0; i < 20; i += 1) packOperations(large);
const packing = cpuMs();
for (let i = 0; i < 20; i += 1) packOperations(large);
const packMs = (cpuMs() - packing) / 20;

const index = createEmbeddedOperationIndex({
  blocks: {
    changedSince: async (after, _modelId, limit) => {
      const from = changes.findIndex(({ sequence }) => sequence > after);
      return from < 0 ? [] : changes.slice(from, from + limit);
    },
    collectionsAfter: async (after, _modelId, limit) => idsAfter(after, collections, limit),
  },
});
const everything = Array.from({ length: collections }, (_, i) => idAt(i));
const search = (vector: HybridVector, among: readonly CollectionId[], method: string | null = null) =>
  timed(() => index.search({ modelId, vector, among, method, limit: 50, asOf: changes.at(-1)?.sequence ?? 0 }));
const searches = async (count: number, among: readonly CollectionId[], method: string | null = null) => {
  const all: Awaited<ReturnType<typeof timed>>[] = [];
  // Made before, so that no search pays for the garbage of its question.
  for (const vector of Array.from({ length: count }, () => vectorOf(12))) all.push(await search(vector, among, method));
  return all;
};

const before = await memory();
const build = await search(vectorOf(12), everything);
const kept = (await memory()) - before;
// After some 200 searches V8 has compiled what they use, which takes several milliseconds of a search each time.
await searches(300, everything);
const caughtUp: number[] = [];
for (let i = 0; i < 9; i += 1) {
  put(0, large);
  caughtUp.push((await search(vectorOf(12), everything.slice(0, 1))).ms);
}
const whole = await searches(500, everything);
const some = everything.filter((_, i) => i % 10 === 0);

console.log(
  JSON.stringify({
    packMs,
    memoryMiB: kept / 2 ** 20,
    buildMs: build.ms,
    buildHoldMs: build.holdMs,
    catchUpMs: median(caughtUp),
    queryCpuMs: median(whole.map(({ cpu }) => cpu)),
    queryCpuP99Ms: quantile(Float64Array.from(whole, ({ cpu }) => cpu).sort(), 0.99),
    queryMs: median(whole.map(({ ms }) => ms)),
    querySlowMs: Math.max(...whole.map(({ ms }) => ms)),
    queryHoldMs: median(whole.map(({ holdMs }) => holdMs)),
    methodMs: median((await searches(50, everything, 'POST')).map(({ ms }) => ms)),
    visibleMs: median((await searches(50, some)).map(({ ms }) => ms)),
  }),
);
