import { createOperationBlockChanges, withSteppingClock } from '@portico/contracts';
import { packOperations, readPackedLayout } from '@portico/domain';
import { expect, test } from 'vitest';
import { generator, idOf } from '../test/random-operations.ts';
import { layoutOf } from './block-layout.ts';
import { OperationBlocks } from './operation-blocks.ts';

const put = (blocks: OperationBlocks, number: number, packed: Uint8Array, sequence: number) =>
  blocks.put({
    collectionId: idOf(number),
    modelId: 'm',
    documentDigest: '',
    contentRevision: 1,
    operations: 1,
    packed,
    sequence,
  });

const eightBlocks = (): readonly Uint8Array[] => {
  const { operations } = generator(3, 256);
  return Array.from({ length: 8 }, (_, i) => packOperations(operations(1000 + 100 * i)));
};

test('replacing blocks over and over does not make it grow without limit', async () => {
  const packed = eightBlocks();
  const blocks = new OperationBlocks();
  for (let round = 0; round < 20; round += 1) {
    for (const [i, bytes] of packed.entries()) await put(blocks, (i * 3 + round) % 8, bytes, 8 * round + i);
  }
  expect(blocks.bytes).toBeLessThan(6e6);
  expect(blocks.memory.end).toBeLessThan(13e6);
});

test('blocks are seen where they are while others are moved', async () => {
  const packed = eightBlocks();
  const blocks = new OperationBlocks();
  const among = packed.map((_, i) => idOf(i));
  for (const [i, bytes] of packed.entries()) await put(blocks, i, bytes, i);
  let [moves, isDone, last] = [0, false, ''];
  const replacing = withSteppingClock(10, async () => {
    for (let i = 0; i < 20; i += 1) await put(blocks, 0, packed[0] ?? new Uint8Array(), 8 + i);
  }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const visible = blocks.visibleOf(among);
    const seen = visible.blocks.flatMap((_, from) => [...(visible.portionFrom(from)?.addresses.subarray(0, 1) ?? [])]);
    expect(seen).toEqual(visible.blocks.map(({ address }) => address));
    const others = seen.slice(1).join(' ');
    if (others !== last) moves += 1;
    last = others;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await replacing;
  expect(moves).toBeGreaterThan(2);
});

test('a collection that has its first block since the last search is seen', async () => {
  const packed = packOperations(generator(8, 16).operations(3));
  const blocks = new OperationBlocks();
  const among = [idOf(1), idOf(2)];
  await put(blocks, 1, packed, 1);
  const before = blocks.visibleOf(among);
  expect(blocks.visibleOf(among)).toBe(before);
  expect(before.blocks.map(({ collectionId }) => collectionId)).toEqual([idOf(1)]);
  await put(blocks, 2, packed, 2);
  expect(blocks.visibleOf(among).blocks.map(({ collectionId }) => collectionId)).toEqual(among);
});

test('who holds a block sees the one that replaces it, and nothing of one that is removed', async () => {
  const store = createOperationBlockChanges();
  const { operations } = generator(8, 16);
  store.put(idOf(1), operations(3));
  store.put(idOf(2), operations(5));
  const [first, second] = await store.changedSince(0, 'model-1', 2);
  const blocks = new OperationBlocks();
  await put(blocks, 1, first?.packed ?? new Uint8Array(), 1);
  const [held] = blocks.visibleOf([idOf(1)]).blocks;
  expect(held).toMatchObject({ sequence: 1, layout: { count: 3 } });
  await put(blocks, 1, second?.packed ?? new Uint8Array(), 2);
  expect(held).toMatchObject({ sequence: 2, layout: { count: 5 } });
  expect(blocks.visibleOf([idOf(1)]).blocks).toEqual([held]);
  blocks.delete(idOf(1));
  expect(held?.layout).toEqual(layoutOf(readPackedLayout(packOperations([]))));
  expect(blocks.visibleOf([idOf(1)]).blocks).toEqual([]);
  expect(blocks.bytes).toBe(0);
});

test('others have their turn between eighths of a megabyte of a block; until it is complete nothing of it is searched', async () => {
  const store = createOperationBlockChanges();
  store.put(idOf(1), generator(9, 768).operations(2_000));
  const [change] = await store.changedSince(0, 'model-1', 1);
  const packed = change?.packed ?? new Uint8Array();
  const blocks = new OperationBlocks();
  const seen: number[] = [];
  let isDone = false;
  const putting = withSteppingClock(10, () => put(blocks, 1, packed, 1)).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.push(blocks.visibleOf([idOf(1)]).blocks.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await putting;
  const parts = Math.ceil(packed.length / (128 * 1024));
  expect(parts).toBe(14);
  expect(seen.length).toBeGreaterThanOrEqual(parts);
  expect(new Set(seen.slice(0, parts))).toEqual(new Set([0]));
  expect(blocks.visibleOf([idOf(1)]).blocks).toHaveLength(1);
});

test('others have their turn before what was read is searched', async () => {
  const turns: string[] = [];
  setImmediate(() => turns.push('another'));
  await new OperationBlocks().settle();
  expect(turns).toEqual(['another']);
});
