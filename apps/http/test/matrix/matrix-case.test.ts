import { expect, test } from 'vitest';
import { allCases, sampledCases } from './all-cases.ts';
import { callerNames } from './callers.ts';
import { sampleOf, rotateList, type MatrixCase } from './matrix-case.ts';
import { rows } from './request.ts';

const allMatrixCases = Object.values(allCases).flat();
const sampledMatrixCases = Object.values(sampledCases).flat();
const combinationsOf = (cases: readonly MatrixCase[]): ReadonlySet<string> =>
  new Set(cases.flatMap(({ name, covers = [name] }) => covers));

test('a sample has a case for each combination and no redundant cases', () => {
  const run = () => Promise.resolve();
  const cases = [
    { name: 'first', covers: ['a', 'b'], run },
    { name: 'second', covers: ['b', 'a'], run },
    { name: 'third', covers: ['b', 'c'], run },
    { name: 'fourth', run },
  ];
  expect(sampleOf(cases).map(({ name }) => name)).toEqual(['first', 'third', 'fourth']);
});

test('the sample covers all endpoints, callers and combinations of the complete matrix with a quarter of its cases', () => {
  expect(combinationsOf(sampledMatrixCases)).toEqual(combinationsOf(allMatrixCases));
  expect(combinationsOf(allMatrixCases).size).toBeGreaterThan(rows.length * 10);
  const names = sampledMatrixCases.map(({ name }) => name);
  for (const { name } of rows) expect(names.some((caseName) => caseName.startsWith(`${name} returns `))).toBe(true);
  for (const caller of callerNames) expect(names.some((caseName) => caseName.endsWith(` for ${caller}`))).toBe(true);
  expect(sampledMatrixCases.length).toBeLessThan(allMatrixCases.length / 4);
});

test('consecutive endpoints are sampled with different callers', () => {
  expect(rotateList(1, ['x', 'y', 'z'])).toEqual(['y', 'z', 'x']);
  expect(rotateList(3, ['x', 'y', 'z'])).toEqual(['x', 'y', 'z']);
});

test('no two cases have the same name', () => {
  expect(new Set(allMatrixCases.map(({ name }) => name)).size).toBe(allMatrixCases.length);
});
