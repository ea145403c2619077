import { expect, test } from 'vitest';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { routes } from './table.ts';

test('every endpoint that the specification lists is a row, and ignores query parameters that it does not have', () => {
  const lenient = routes.filter(({ refusesUnknown }) => !refusesUnknown).map(({ method, path }) => `${method} ${path}`);
  expect(lenient).toEqual(expect.arrayContaining([...specifiedEndpoints]));
  expect(lenient.filter((name) => name.includes(' /api/')).sort()).toEqual([...specifiedEndpoints].sort());
});
