import { expect, test } from 'vitest';
import { allCases, sampledCases } from './all-cases.ts';
import { callerNames } from './callers.ts';
import { sampleOf, startingAt, type MatrixCase } from './matrix-case.ts';
import { rows } from './request.ts';

const all = Object.values(allCases).flat();
const sampled = Object.values(sampledCases).flat();
const combinationsOf = (cases: readonly MatrixCase[]): ReadonlySet<string> =>
  new Set(cases.flatMap(({ name, covers = [name] }) => covers));

test('a sample has a case for each combination, and no redundant cases', () => {
  const run = () => Promise.resolve();
  const cases = [
    { name: 'first', covers: ['a', 'b'], run },
    { name: 'second', covers: ['b', 'a'], run },
    { name: 'third', covers: ['b', 'c'], run },
    { name: 'fourth', run },
  ];
  expect(sampleOf(cases).map(({ name }) => name)).toEqual(['first', 'third', 'fourth']);
});

test('the sample has every endpoint and caller, and every combination that the whole matrix has, in a quarter of it', () => {
  expect(combinationsOf(sampled)).toEqual(combinationsOf(all));
  expect(combinationsOf(all).size).toBeGreaterThan(rows.length * 10);
  const names = sampled.map(({ name }) => name);
  for (const { name } of rows) expect(names.some((one) => one.startsWith(`${name} returns `))).toBe(true);
  for (const caller of callerNames) expect(names.some((one) => one.endsWith(` for ${caller}`))).toBe(true);
  expect(sampled.length).toBeLessThan(all.length / 4);
});

test('consecutive endpoints are sampled with different callers', () => {
  expect(startingAt(1, ['x', 'y', 'z'])).toEqual(['y', 'z', 'x']);
  expect(startingAt(3, ['x', 'y', 'z'])).toEqual(['x', 'y', 'z']);
});

test('no two cases have the same name', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});
