import type { CollectionId, HybridVector, OperationKey } from '@portico/domain';
import { packOperations } from '@portico/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockMemory } from './block-memory.ts';
import { OperationBlocks } from './operation-blocks.ts';

const dimension = 48;
const features = [3, 90, 91, 4_000_000_000];

const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimension, maxLength: dimension });
const dense = fc
  .tuple(
    fc.oneof(
      numbers,
      fc.constantFrom(-1, 0, 0.3).map((x) => Array<number>(dimension).fill(x)),
    ),
    fc.integer({ min: -6, max: 3 }),
  )
  .map(([some, exponent]) => Float32Array.from(some, (x) => x * 10 ** exponent));
const vectors: fc.Arbitrary<HybridVector> = fc.record({
  dense,
  sparse: fc.uniqueArray(fc.constantFrom(...features)).map((indices) => ({
    indices: Uint32Array.from(indices).sort(),
    weights: Float32Array.from(indices, (feature) => (feature % 7) / 8),
  })),
});

const none = { indices: new Uint32Array(), weights: new Float32Array() };

const placed = async (blocks: readonly (readonly HybridVector[])[]) => {
  const held = new OperationBlocks();
  for (const [number, some] of blocks.entries()) {
    const operations = some.map((vector, i) => ({
      key: String(i).padStart(16, '0') as OperationKey,
      method: 'GET',
      vector,
    }));
    await held.put({
      collectionId: String(number) as CollectionId,
      modelId: 'm',
      documentDigest: '',
      contentRevision: 1,
      operations: some.length,
      packed: packOperations(operations),
      sequence: number + 1,
    });
  }
  return { memory: held.memory, blocks: held.blocksOf(held.collections()) };
};

/** That the first scores are these, as far as they are above what is asked, for what is hardly below any of them. */
const expectEach = (all: readonly number[], scoresAbove: (least: number) => Float32Array): void => {
  expect(all.every(Number.isFinite)).toBe(true);
  for (const score of all) {
    const least = score - Math.abs(score) * 2 ** -26;
    const scores = scoresAbove(least);
    const seen = all.map((other, i) => (other > least ? scores[i] : [other, -Infinity].includes(scores[i] ?? NaN)));
    expect(seen).toEqual(all.map((other) => (other > least ? other : true)));
  }
};

test('what is above has the same similarity whether the others are compared or not', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(vectors, { maxLength: 11 }), { minLength: 1, maxLength: 3 }),
      vectors,
      async (stored, asked) => {
        const { memory, blocks } = await placed(stored);
        const query = BlockMemory.quantised(asked);
        const all = [...memory.score(blocks, query, -Infinity)];
        expect(all).toHaveLength(stored.flat().length);
        expectEach(all, (least) => memory.score(blocks, query, least));
      },
    ),
  ));

test('the longest vector counts, wherever it stands in a large block', async () => {
  // More than are summed up at once.
  const rows = Array.from({ length: 11_000 }, (_, row) => ({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.sin(row * 7 + i * i) * (row < 9 ? 1 : 0.001)),
    sparse: none,
  }));
  const { memory, blocks } = await placed([rows]);
  const query = BlockMemory.quantised({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.cos(i)),
    sparse: none,
  });
  const all = [...memory.score(blocks, query, -Infinity).subarray(0, 9)];
  expectEach(all, (least) => memory.score(blocks, query, least));
});

test.each([
  ['are much greater than what is asked for', 1, none],
  ['are more than 32 bits hold', 3e38, none],
  ['are much less than it', 1e-6, { indices: Uint32Array.of(3), weights: Float32Array.of(1_000.1) }],
])('what the sums of an estimate lose is allowed for if they %s', async (_, size, sparse) => {
  // In 7 bits the query is the same, and the halves of each row cancel each other but for one number.
  const query = Float32Array.from({ length: dimension }, (_, i) => (i % 2 ? size : -size));
  const rows = Array.from({ length: 64 }, (_, row) => ({
    dense: new Float32Array(dimension).fill((row + 1) / 7).fill((0.99 * (row + 1)) / 7, 0, 1),
    sparse,
  }));
  const { memory, blocks } = await placed([rows]);
  const quantised = BlockMemory.quantised({ dense: query, sparse });
  const all = [...memory.score(blocks, quantised, -Infinity)];
  expectEach(all, (least) => memory.score(blocks, quantised, least));
});

test('a query of more dimensions, for which there is no block, leaves nothing behind', async () => {
  const rows = Array.from({ length: 9 }, (_, row) => ({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.sin(row * 7 + i * i)),
    sparse: none,
  }));
  const { memory, blocks } = await placed([rows]);
  memory.score([], BlockMemory.quantised({ dense: new Float32Array(dimension + 16).fill(1), sparse: none }), -Infinity);
  const query = BlockMemory.quantised(rows[0] ?? { dense: new Float32Array(), sparse: none });
  expectEach([...memory.score(blocks, query, -Infinity)], (least) => memory.score(blocks, query, least));
});

test('of four operations that cannot be above, none is compared', async () => {
  const row = (x: number) => ({ dense: new Float32Array(dimension).fill(x).fill(x / 2, 0, 7), sparse: none });
  const { memory, blocks } = await placed([[0.1, 0.2, -0.9, 0.9].map(row)]);
  const scores = memory.score(blocks, BlockMemory.quantised(row(1)), 20);
  expect([...scores.subarray(0, 3)]).toEqual([-Infinity, -Infinity, -Infinity]);
  expect(scores[3]).toBeCloseTo(0.9 * (7 / 4 + 41), 1);
});
