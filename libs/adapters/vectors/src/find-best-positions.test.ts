import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findBestPositions } from './find-best-positions.ts';

/** Scores with few distinct values, so that there are many ties. */
const tiedScores = fc
  .array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 })
  .map((levels) => Float32Array.from(levels, (level) => level / 7));

const sortAndCut = (scores: Float32Array, limit: number): readonly number[] => {
  const positions = [...scores.keys()].sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y);
  const lastPosition = positions[Math.min(limit, positions.length) - 1];
  return positions.filter((position) => (scores[position] ?? 0) >= (scores[lastPosition ?? 0] ?? 0));
};

test('the best scores equal those of a full sort, including all that equal the last', () => {
  fc.assert(
    fc.property(tiedScores, fc.integer({ min: 1, max: 70 }), (scores, limit) => {
      expect(findBestPositions(scores, limit)).toEqual(sortAndCut(scores, limit));
    }),
  );
});

test('a score of -Infinity is ignored', () => {
  expect(findBestPositions(Float32Array.of(-Infinity, 1, -Infinity, 0), 3)).toEqual([1, 3]);
});

test('among equal scores, the earlier position comes first', () => {
  expect(findBestPositions(Float32Array.of(0.5, 1, 0.5, 1, 0.25), 3)).toEqual([1, 3, 0, 2]);
});
