import { expect, test } from 'vitest';
import { boardOf } from './board.ts';
import { findRegressions, recordOf } from './record.ts';
import { markdownOf } from './report.ts';

const board = boardOf(
  { key: 'collections', title: 'Collections', metrics: ['nDCG@10'] },
  ['b', 'a', 'a'],
  [
    {
      key: 'embedder',
      label: 'embedder, <model>',
      byQuery: [0.25, 0.5, 0.75].map((figure) => ({ 'nDCG@10': figure })),
    },
    { key: 'bm25', label: 'BM25', byQuery: [0, 0.25, 0.5].map((figure) => ({ 'nDCG@10': figure })) },
  ],
);

test('a board has the means of all queries and of each kind, the largest kind first', () => {
  expect(board.kinds).toEqual([
    { name: 'all', count: 3 },
    { name: 'a', count: 2 },
    { name: 'b', count: 1 },
  ]);
  const means = board.kinds.map(({ name }) => board.rows[0]?.figures[name]?.['nDCG@10']?.mean);
  expect(means).toEqual([0.5, 0.625, 0.25]);
});

test('each other ranker is compared with BM25', () => {
  expect(board.rows.map(({ lead }) => lead?.['nDCG@10']?.mean ?? null)).toEqual([0.25, null]);
});

test('the report shows a table with intervals, and the calibration of scores', () => {
  const buckets = [{ from: 0.3, to: 0.35, count: 4, direct: 0.25, relevant: 0.5 }];
  const calibration = { first: buckets, topTen: buckets, noiseThreshold: 0.21 };
  const text = markdownOf({ collections: { model: 'm', apis: 9, board, calibration }, operations: null });
  expect(text).toContain('| nDCG@10 | all (3) | a (2) | b (1) |');
  expect(text).toContain('| embedder, <model> | 0.500 (0.25–0.75) | 0.625 (0.50–0.75) | 0.250 (0.25–0.25) |');
  expect(text).toContain('| embedder, <model> | +0.250 (+0.25 to +0.25), p < 0.001 |');
  expect(text).toContain('| 0.30 – 0.35 | 4 | 25 % | 50 % | 4 | 25 % | 50 % |');
  expect(text).toContain('Below 0.21 fewer than 5 % of the first ten results are right');
});

test('a figure may fall by at most 0.015; a rise passes, and a missing figure fails', () => {
  const recordedFigures = recordOf('m', [board]);
  const compareAfterChange = (delta: number) => {
    const text = JSON.stringify(recordedFigures).replace('"nDCG@10":0.625', `"nDCG@10":${(0.625 + delta).toFixed(3)}`);
    return findRegressions(recordedFigures, JSON.parse(text) as typeof recordedFigures);
  };
  expect([compareAfterChange(-0.015), compareAfterChange(0.2)]).toEqual([[], []]);
  expect(compareAfterChange(-0.016)).toEqual(['collections, embedder, a, nDCG@10: 0.609, recorded as 0.625']);
  expect(findRegressions(recordedFigures, { model: 'm', boards: {} })).toHaveLength(3);
});
