import { randomSourceContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createMemoryRandomSource } from './memory-random-source.ts';

const drawnFrom = (seed: number) => {
  const random = createMemoryRandomSource(seed);
  return [random.uuid(), [...random.bytes(8)], random.uuid()];
};

test('the same seed gives the same sequence, and another seed a different one', () => {
  expect(drawnFrom(7)).toEqual(drawnFrom(7));
  expect(drawnFrom(7)).not.toEqual(drawnFrom(8));
});

for (const [sentence, check] of Object.entries(randomSourceContract)) {
  test(sentence, () => check(createMemoryRandomSource()));
}
