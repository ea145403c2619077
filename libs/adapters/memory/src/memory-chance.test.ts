import { expect, test } from 'vitest';
import { createMemoryChance } from './memory-chance.ts';

const drawnFrom = (seed: number) => {
  const chance = createMemoryChance(seed);
  return [chance.uuid(), [...chance.bytes(8)], chance.uuid()];
};

test('the same seed gives the same sequence, and another one another', () => {
  expect(drawnFrom(7)).toEqual(drawnFrom(7));
  expect(drawnFrom(7)).not.toEqual(drawnFrom(8));
});
