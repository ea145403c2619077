import { packOperations, readPackedLayout } from '@portico/domain';
import { expect, test } from 'vitest';
import { layoutOf } from './block-layout.ts';
import { comparedMax, type PlacedBlock } from './block-memory.ts';
import { VisibleBlocks } from './visible-blocks.ts';

const usual = layoutOf(readPackedLayout(packOperations([])));

/** A block that says that it has so many operations, and so many bytes. */
const blockOf = (address: number, count: number, size = 1): { address: number; layout: PlacedBlock['layout'] } => ({
  address,
  layout: { ...usual, count, size },
});

const portionsOf = (visible: VisibleBlocks<PlacedBlock>) => {
  const portions = [];
  for (let portion = visible.portionFrom(0); portion; portion = visible.portionFrom(portion.end))
    portions.push(portion);
  return portions;
};

test('the first portion ends with half a megabyte, each further one with eight', () => {
  const blocks = Array.from({ length: 70 }, (_, i) => blockOf(i, 1, 2 ** 18));
  expect(portionsOf(new VisibleBlocks(blocks, () => 0)).map(({ end }) => end)).toEqual([2, 34, 66, 70]);
});

test('a portion has no more operations than one call compares', () => {
  const counts = [comparedMax, 1, comparedMax - 1, 1, comparedMax];
  const portions = portionsOf(
    new VisibleBlocks(
      counts.map((count, i) => blockOf(i, count)),
      () => 0,
    ),
  );
  expect(portions.map(({ count }) => count)).toEqual([comparedMax, comparedMax, 1, comparedMax]);
});

test('blocks without operations are passed over, however many', () => {
  const blocks = Array.from({ length: 70_000 }, (_, i) => blockOf(i, i === 9 ? 3 : i === 69_999 ? 4 : 0));
  const [portion, ...others] = portionsOf(new VisibleBlocks(blocks, () => 0));
  expect(portion).toMatchObject({ blocks: [blocks[9], blocks[69_999]], count: 7, end: 70_000 });
  expect([...(portion?.addresses ?? [])]).toEqual([9, 69_999]);
  expect([...(portion?.firsts ?? [])]).toEqual([0, 3]);
  expect(others).toEqual([]);
  expect(new VisibleBlocks([], () => 0).portionFrom(0)).toBeUndefined();
});

test('a portion is kept until a block is another one or elsewhere', () => {
  let generation = 0;
  const block = blockOf(16, 3);
  const visible = new VisibleBlocks([block], () => generation);
  const before = visible.portionFrom(0);
  expect(visible.portionFrom(0)).toBe(before);
  Object.assign(block, blockOf(32, 5));
  generation += 1;
  const after = visible.portionFrom(0);
  expect(after?.addresses).toEqual(Uint32Array.of(32));
  expect(after?.count).toBe(5);
});
