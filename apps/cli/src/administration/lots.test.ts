import { expect, test } from 'vitest';
import { inLots } from './lots.ts';

test('lots are worked at in order, and so are their results', async () => {
  const lots: (readonly number[])[] = [];
  const doubled = await inLots([1, 2, 3, 4, 5], 2, async (lot) => {
    lots.push(lot);
    return lot.map((one) => one * 2);
  });
  expect(lots).toEqual([[1, 2], [3, 4], [5]]);
  expect(doubled).toEqual([2, 4, 6, 8, 10]);
});
