import { randomSourceContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createMemoryRandomSource } from './memory-random-source.ts';

const generateValues = (seed: number) => {
  const random = createMemoryRandomSource(seed);
  return [random.uuid(), [...random.bytes(8)], random.uuid()];
};

test('the same seed gives the same sequence, and a different seed gives a different one', () => {
  expect(generateValues(7)).toEqual(generateValues(7));
  expect(generateValues(7)).not.toEqual(generateValues(8));
});

for (const [sentence, check] of Object.entries(randomSourceContract)) {
  test(sentence, () => check(createMemoryRandomSource()));
}
