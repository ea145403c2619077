import { expect, test } from 'vitest';
import { computeAuroc, computeNdcg, computeRecall, computeReciprocalRank, successAt } from './scoring.ts';

const ranking = { grades: [1, 0, 2], reachable: [1, 2, 2] };

test('nDCG weights gains of 3 and 1 by rank, as a share of the best order', () => {
  // (1 / 1 + 3 / 2) / (3 / 1 + 3 / log2(3) + 1 / 2)
  expect(computeNdcg(ranking)).toBeCloseTo(2.5 / (3.5 + 3 / Math.log2(3)), 10);
  expect(computeNdcg({ grades: [2, 2, 1], reachable: [1, 2, 2] })).toBe(1);
});

test('results after the tenth do not count', () => {
  const lateRanking = { grades: [...Array<number>(10).fill(0), 2], reachable: [2] };
  expect([computeNdcg(lateRanking), computeRecall(lateRanking), successAt(lateRanking, 5)]).toEqual([0, 0, 0]);
  expect(computeReciprocalRank(lateRanking, 2)).toBeCloseTo(1 / 11);
});

test('more than ten right results can still have an nDCG of 1, but not full recall', () => {
  const longRanking = { grades: Array<number>(12).fill(1), reachable: Array<number>(12).fill(1) };
  expect(computeNdcg(longRanking)).toBe(1);
  expect(computeRecall(longRanking)).toBeCloseTo(10 / 12);
});

test('recall counts related results, success only direct answers', () => {
  expect(computeRecall(ranking)).toBeCloseTo(2 / 3);
  expect([successAt(ranking, 1), successAt(ranking, 5)]).toEqual([0, 1]);
});

test('the reciprocal rank is that of the first result with at least that grade', () => {
  expect([computeReciprocalRank(ranking, 1), computeReciprocalRank(ranking, 2)]).toEqual([1, 1 / 3]);
});

test('an empty ranking has only zeros', () => {
  const emptyRanking = { grades: [], reachable: [2] };
  expect([
    computeNdcg(emptyRanking),
    computeRecall(emptyRanking),
    computeReciprocalRank(emptyRanking, 1),
    successAt(emptyRanking, 5),
  ]).toEqual([0, 0, 0, 0]);
});

test('the AUROC counts pairs, and ties half', () => {
  expect(computeAuroc([3, 2], [1, 2])).toBe(3.5 / 4);
});
