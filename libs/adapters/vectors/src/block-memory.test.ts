import type { CollectionId, HybridVector, OperationKey } from '@portico/domain';
import { packOperations, readPackedLayout } from '@portico/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layoutOf } from './block-layout.ts';
import { BlockMemory, type PlacedBlock, type Portion } from './block-memory.ts';
import { pageBytes } from './create-kernel.ts';
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

const packed = (vectors: readonly HybridVector[]): Uint8Array =>
  packOperations(
    vectors.map((vector, i) => ({ key: String(i).padStart(16, '0') as OperationKey, method: 'GET', vector })),
  );

const placed = async (blocks: readonly (readonly HybridVector[])[]) => {
  const held = new OperationBlocks();
  for (const [number, some] of blocks.entries()) {
    await held.put({
      collectionId: String(number) as CollectionId,
      modelId: 'm',
      documentDigest: '',
      contentRevision: 1,
      operations: some.length,
      packed: packed(some),
      sequence: number + 1,
    });
  }
  return { memory: held.memory, portion: portionOf(held.visibleOf(held.collections()).blocks) };
};

const portionOf = (blocks: readonly PlacedBlock[]): Portion => {
  const filled = blocks.filter(({ layout }) => layout.count > 0);
  return {
    addresses: Uint32Array.from(filled, ({ address }) => address),
    count: filled.reduce((sum, { layout }) => sum + layout.count, 0),
  };
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
        const { memory, portion } = await placed(stored);
        const query = BlockMemory.quantised(asked);
        const all = [...memory.score(portion, query, -Infinity)];
        expect(all).toHaveLength(stored.flat().length);
        expectEach(all, (least) => memory.score(portion, query, least));
      },
    ),
  ));

test('the longest vector counts, wherever it stands in a large block', async () => {
  // More than are summed up at once.
  const rows = Array.from({ length: 11_000 }, (_, row) => ({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.sin(row * 7 + i * i) * (row < 9 ? 1 : 0.001)),
    sparse: none,
  }));
  const { memory, portion } = await placed([rows]);
  const query = BlockMemory.quantised({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.cos(i)),
    sparse: none,
  });
  const all = [...memory.score(portion, query, -Infinity).subarray(0, 9)];
  expectEach(all, (least) => memory.score(portion, query, least));
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
  const { memory, portion } = await placed([rows]);
  const quantised = BlockMemory.quantised({ dense: query, sparse });
  const all = [...memory.score(portion, quantised, -Infinity)];
  expectEach(all, (least) => memory.score(portion, quantised, least));
});

test('what it grows by is not counted as memory that garbage is collected for', () => {
  const memory = new BlockMemory();
  const before = process.memoryUsage().external;
  memory.growTo(64 * 2 ** 20);
  expect(process.memoryUsage().external - before).toBeLessThan(2 ** 20);
});

test('a query of more dimensions, for which there is no block, leaves nothing behind', async () => {
  const rows = Array.from({ length: 9 }, (_, row) => ({
    dense: Float32Array.from({ length: dimension }, (_, i) => Math.sin(row * 7 + i * i)),
    sparse: none,
  }));
  const { memory, portion } = await placed([rows]);
  memory.score(
    portionOf([]),
    BlockMemory.quantised({ dense: new Float32Array(dimension + 16).fill(1), sparse: none }),
    -Infinity,
  );
  const query = BlockMemory.quantised(rows[0] ?? { dense: new Float32Array(), sparse: none });
  expectEach([...memory.score(portion, query, -Infinity)], (least) => memory.score(portion, query, least));
});

test('of four operations that cannot be above, none is compared', async () => {
  const row = (x: number) => ({ dense: new Float32Array(dimension).fill(x).fill(x / 2, 0, 7), sparse: none });
  const { memory, portion } = await placed([[0.1, 0.2, -0.9, 0.9].map(row)]);
  const scores = memory.score(portion, BlockMemory.quantised(row(1)), 20);
  expect([...scores.subarray(0, 3)]).toEqual([-Infinity, -Infinity, -Infinity]);
  expect(scores[3]).toBeCloseTo(0.9 * (7 / 4 + 41), 1);
});

describe('words', () => {
  const greatest = 0xffff_ffff;
  /** So many of them that a bucket has more than are compared at once, that some have none, and the least and greatest. */
  const feature = fc.oneof(
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: greatest - 60, max: greatest }),
    fc.integer({ min: 0, max: greatest }),
  );
  const weight = fc.integer({ min: -64, max: 64 }).map((x) => x / 8);
  const sparse = (max: number) =>
    fc.uniqueArray(fc.tuple(feature, weight), { selector: ([number]) => number, maxLength: max }).map((entries) => {
      const ascending = entries.toSorted(([x], [y]) => x - y);
      return {
        indices: Uint32Array.from(ascending, ([number]) => number),
        weights: Float32Array.from(ascending, ([, x]) => x),
      };
    });
  const wordsOf = (some: HybridVector['sparse']): HybridVector => ({
    dense: new Float32Array(dimension),
    sparse: some,
  });

  const product = ({ sparse: one }: HybridVector, { sparse: other }: HybridVector): number => {
    const weights = new Map(Array.from(other.indices, (number, i) => [number, other.weights[i] ?? 0]));
    return one.indices.reduce((sum, number, i) => sum + (one.weights[i] ?? 0) * (weights.get(number) ?? 0), 0);
  };

  test('add their products, whichever a block has', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(sparse(40).map(wordsOf), { maxLength: 9 }), { maxLength: 11 }),
        sparse(120).map(wordsOf),
        async (stored, asked) => {
          const { memory, portion } = await placed(stored);
          const scores = memory.score(portion, BlockMemory.quantised(asked), -Infinity);
          expect([...scores]).toEqual(stored.flat().map((vector) => product(asked, vector)));
        },
      ),
    ));

  test('of more than are looked up at once', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => i * 200_003);
    const all = wordsOf({ indices: Uint32Array.from(many), weights: new Float32Array(many.length).fill(0.5) });
    const { memory, portion } = await placed([[all], [wordsOf(none), all]]);
    expect([...memory.score(portion, BlockMemory.quantised(all), -Infinity)]).toEqual([5_000, 0, 5_000]);
  });

  test('are looked up where nothing comes behind the block', async () => {
    const stored = packed([wordsOf({ indices: Uint32Array.of(0), weights: Float32Array.of(3) })]);
    const parts = readPackedLayout(stored);
    const layout = layoutOf(parts);
    const memory = new BlockMemory();
    const end = 1_600 * pageBytes;
    memory.growTo(end);
    const block = { address: end - layout.size, layout };
    await memory.write(block.address, stored, parts, layout, async () => {});
    const query = wordsOf({ indices: Uint32Array.of(0, greatest), weights: Float32Array.of(5, 7) });
    expect([...memory.score(portionOf([block]), BlockMemory.quantised(query), -Infinity)]).toEqual([15]);
  });

  test('are read from packed operations that begin at any byte', async () => {
    const query = wordsOf({ indices: Uint32Array.of(7, 90), weights: Float32Array.of(2, 3) });
    const stored = packed([query]);
    const shifted = new Uint8Array(stored.length + 3).subarray(3);
    shifted.set(stored);
    const parts = readPackedLayout(shifted);
    const layout = layoutOf(parts);
    const memory = new BlockMemory();
    memory.growTo(memory.start + layout.size);
    await memory.write(memory.start, shifted, parts, layout, async () => {});
    const block = { address: memory.start, layout };
    expect([...memory.score(portionOf([block]), BlockMemory.quantised(query), -Infinity)]).toEqual([13]);
    expect(memory.keyAt(block, 0)).toBe('0'.repeat(16));
  });
});
