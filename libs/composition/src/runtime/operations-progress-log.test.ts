import { expect, test } from 'vitest';
import { createOperationsProgressLog } from './operations-progress-log.ts';

const collectLoggedFields = (...counts: readonly number[]): readonly object[] => {
  const fields: object[] = [];
  const report = createOperationsProgressLog({ info: (line: object) => void fields.push(line) });
  counts.forEach(report);
  return fields;
};

test('progress is logged at each tenth of the pending collections, and completion is logged once', () => {
  expect(collectLoggedFields(0, 100, 100, 91, 90, 85, 80, 30, 29, 0, 0)).toEqual([
    { collections: 100 },
    { total: 100, done: 10 },
    { total: 100, done: 20 },
    { total: 100, done: 70 },
    { collections: 100 },
  ]);
});

test('a new count starts when there are more pending collections than before, or new ones after completion', () => {
  expect(collectLoggedFields(2, 1, 3, 0, 1, 0)).toEqual([
    { collections: 2 },
    { total: 2, done: 1 },
    { collections: 3 },
    { collections: 3 },
    { collections: 1 },
    { collections: 1 },
  ]);
});
