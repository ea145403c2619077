import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toOperationScore, operationScoreMin } from './score-curve.ts';

test('a score is between 0 and 1, and a higher similarity never has a lower score', () => {
  fc.assert(
    fc.property(fc.double({ min: -2, max: 3, noNaN: true }), fc.double({ min: -2, max: 3, noNaN: true }), (x, y) => {
      const [low, high] = [toOperationScore(Math.min(x, y)), toOperationScore(Math.max(x, y))];
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test('half of the first results with a similarity of 0.64 were correct', () => {
  expect(toOperationScore(0.64)).toBe(0.5);
  expect(toOperationScore(0.3)).toBeLessThan(operationScoreMin);
  expect(toOperationScore(0.35)).toBeGreaterThan(operationScoreMin);
});
