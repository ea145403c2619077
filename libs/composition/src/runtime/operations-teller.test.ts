import { expect, test } from 'vitest';
import { createOperationsTeller } from './operations-teller.ts';

const told = (...waiting: readonly number[]): readonly object[] => {
  const fields: object[] = [];
  const tell = createOperationsTeller({ info: (those: object) => void fields.push(those) });
  waiting.forEach(tell);
  return fields;
};

test('progress is told at each tenth of the collections that waited, and the end once', () => {
  expect(told(0, 100, 100, 91, 90, 85, 80, 30, 29, 0, 0)).toEqual([
    { collections: 100 },
    { total: 100, done: 10 },
    { total: 100, done: 20 },
    { total: 100, done: 70 },
    { collections: 100 },
  ]);
});

test('more collections than ever waited begin a new count, and so does the time after the end', () => {
  expect(told(2, 1, 3, 0, 1, 0)).toEqual([
    { collections: 2 },
    { total: 2, done: 1 },
    { collections: 3 },
    { collections: 3 },
    { collections: 1 },
    { collections: 1 },
  ]);
});
