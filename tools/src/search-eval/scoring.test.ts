import { expect, test } from 'vitest';
import { auroc, ndcg, recall, reciprocalRank, success } from './scoring.ts';

const ranking = { grades: [1, 0, 2], reachable: [1, 2, 2] };

test('nDCG weights gains of 3 and 1 by rank, as a share of the best order', () => {
  // (1 / 1 + 3 / 2) / (3 / 1 + 3 / log2(3) + 1 / 2)
  expect(ndcg(ranking)).toBeCloseTo(2.5 / (3.5 + 3 / Math.log2(3)), 10);
  expect(ndcg({ grades: [2, 2, 1], reachable: [1, 2, 2] })).toBe(1);
});

test('results after the tenth do not count', () => {
  const late = { grades: [...Array<number>(10).fill(0), 2], reachable: [2] };
  expect([ndcg(late), recall(late), success(late, 5)]).toEqual([0, 0, 0]);
  expect(reciprocalRank(late, 2)).toBeCloseTo(1 / 11);
});

test('more than ten right results can still have an nDCG of 1, but not full recall', () => {
  const many = { grades: Array<number>(12).fill(1), reachable: Array<number>(12).fill(1) };
  expect(ndcg(many)).toBe(1);
  expect(recall(many)).toBeCloseTo(10 / 12);
});

test('recall counts related results, success only direct answers', () => {
  expect(recall(ranking)).toBeCloseTo(2 / 3);
  expect([success(ranking, 1), success(ranking, 5)]).toEqual([0, 1]);
});

test('the reciprocal rank is that of the first result of the grade', () => {
  expect([reciprocalRank(ranking, 1), reciprocalRank(ranking, 2)]).toEqual([1, 1 / 3]);
});

test('an empty ranking has only zeros', () => {
  const empty = { grades: [], reachable: [2] };
  expect([ndcg(empty), recall(empty), reciprocalRank(empty, 1), success(empty, 5)]).toEqual([0, 0, 0, 0]);
});

test('the AUROC counts pairs, and ties half', () => {
  expect(auroc([3, 2], [1, 2])).toBe(3.5 / 4);
});
