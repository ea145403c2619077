import { expect, test } from 'vitest';
import { createOperationsProgressLog } from './operations-progress-log.ts';

const loggedFields = (...counts: readonly number[]): readonly object[] => {
  const fields: object[] = [];
  const report = createOperationsProgressLog({ info: (line: object) => void fields.push(line) });
  counts.forEach(report);
  return fields;
};

test('progress is logged at each tenth of the pending collections, and the end once', () => {
  expect(loggedFields(0, 100, 100, 91, 90, 85, 80, 30, 29, 0, 0)).toEqual([
    { collections: 100 },
    { total: 100, done: 10 },
    { total: 100, done: 20 },
    { total: 100, done: 70 },
    { collections: 100 },
  ]);
});

test('more pending collections than before start a new count, and so do collections after the end', () => {
  expect(loggedFields(2, 1, 3, 0, 1, 0)).toEqual([
    { collections: 2 },
    { total: 2, done: 1 },
    { collections: 3 },
    { collections: 3 },
    { collections: 1 },
    { collections: 1 },
  ]);
});
