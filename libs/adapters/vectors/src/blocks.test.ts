import { expect, test } from 'vitest';
import { idOf } from '../test/random-operations.ts';
import { Blocks } from './blocks.ts';
import { quantiseQuery } from './kernel.ts';

interface Item {
  readonly collectionId: ReturnType<typeof idOf>;
  readonly sequence: number;
  readonly rows: number;
  readonly dimension?: number;
}

/** Creates blocks in which each row's score is the number of its collection. */
const createBlocks = () =>
  new Blocks(({ collectionId, rows: count, dimension = 16 }: Item) => {
    const bytes = new Uint8Array(32 + count * (dimension + 4));
    new Uint32Array(bytes.buffer, 0, 3).set([1, count, dimension]);
    for (let row = 0; row < count; row += 1) bytes[32 + row * dimension] = 1;
    new Float32Array(bytes.buffer, 32 + count * dimension).fill(Number(collectionId.slice(-6)));
    return { bytes, shape: { count, dimension } };
  });

const scoresOf = (blocks: ReturnType<typeof createBlocks>, numbers: readonly number[]) =>
  scoresOfIds(blocks, numbers.map(idOf));
const scoresOfIds = (blocks: ReturnType<typeof createBlocks>, candidateIds: readonly ReturnType<typeof idOf>[]) => {
  const query = quantiseQuery(Float32Array.from({ length: 16 }, (_, i) => (i === 0 ? 1 : 0)));
  return [...blocks.score(blocks.selectVisible(candidateIds), query, 0)].map(
    (score) => Math.round(score * 1000) / 1000,
  );
};

test('blocks that are replaced many times are found, and the memory does not grow without limit', async () => {
  const blocks = createBlocks();
  const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
  const rowsByNumber = new Map<number, number>();
  for (let round = 0; round < 200; round += 1) {
    const number = (round * 3) % 8;
    const rows = 500 + 100 * (round % 7);
    await blocks.put({ collectionId: idOf(number), sequence: round + 1, rows });
    rowsByNumber.set(number, rows);
    const expected = numbers.flatMap((n) => Array.from({ length: rowsByNumber.get(n) ?? 0 }, () => n));
    expect(scoresOf(blocks, numbers)).toEqual(expected);
  }
  const bytesMax = 8 * (48 + 1100 * 20);
  expect(blocks.bytes).toBeLessThanOrEqual(bytesMax);
  expect(blocks.kernel.end).toBeLessThan(1.4e6);
});

test('a block of the same size is written to the address of the one that it replaces', async () => {
  const blocks = createBlocks();
  for (const number of [1, 2]) await blocks.put({ collectionId: idOf(number), sequence: number, rows: 4 });
  const candidateIds = [1, 2].map(idOf);
  expect(scoresOfIds(blocks, candidateIds)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  const { addresses } = blocks.selectVisible(candidateIds);
  await blocks.put({ collectionId: idOf(2), sequence: 3, rows: 4 });
  expect(blocks.selectVisible(candidateIds).addresses).toEqual(addresses);
  // This block has the same size, rounded up to 16 bytes, but a different shape.
  await blocks.put({ collectionId: idOf(2), sequence: 5, rows: 1, dimension: 64 });
  expect(blocks.selectVisible(candidateIds).addresses).toEqual(addresses);
  expect([...blocks.selectVisible(candidateIds).rowOffsets]).toEqual([0, 4, 5]);
  expect(blocks.sequenceOf(idOf(2))).toBe(5);
});

test('the cached result for an array of collections equals that for a new array', async () => {
  const blocks = createBlocks();
  const candidateIds = [1, 2, 3, 2].map(idOf);
  await blocks.put({ collectionId: idOf(1), sequence: 1, rows: 1 });
  expect(scoresOfIds(blocks, candidateIds)).toEqual([1]);
  expect(blocks.selectVisible(candidateIds)).toBe(blocks.selectVisible(candidateIds));
  await blocks.put({ collectionId: idOf(2), sequence: 2, rows: 2 });
  expect(scoresOfIds(blocks, candidateIds)).toEqual([1, 2, 2]);
  await blocks.put({ collectionId: idOf(1), sequence: 3, rows: 0 });
  await blocks.put({ collectionId: idOf(3), sequence: 4, rows: 1 });
  expect(scoresOfIds(blocks, candidateIds)).toEqual([2, 2, 3]);
  blocks.delete(idOf(2));
  expect(scoresOfIds(blocks, candidateIds)).toEqual([3]);
  expect(blocks.listCollections()).toEqual([idOf(1), idOf(3)]);
});

test('more rows than fit in one call are scored in several calls, and the scores are in order', async () => {
  const blocks = createBlocks();
  const rows = [65_535, 1, 1, 65_536, 40_000, 30_000, 2];
  for (const [i, count] of rows.entries()) await blocks.put({ collectionId: idOf(i), sequence: i + 1, rows: count });
  const expected = rows.flatMap((count, i) => Array.from({ length: count }, () => i));
  expect(scoresOf(blocks, [...rows.keys()])).toEqual(expected);
});
