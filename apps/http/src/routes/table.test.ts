import express, { type Request, type Response } from 'express';
import { expect, test } from 'vitest';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { routes } from './table.ts';

test('every endpoint that the specification lists is a row, and ignores query parameters that it does not have', () => {
  const lenient = routes.filter(({ refusesUnknown }) => !refusesUnknown).map(({ method, path }) => `${method} ${path}`);
  expect(lenient).toEqual(expect.arrayContaining([...specifiedEndpoints]));
  expect(lenient.filter((name) => name.includes(' /api/')).sort()).toEqual([...specifiedEndpoints].sort());
});

test('no row is hidden by one before it, be its path with or without a slash at the end', () => {
  const router = express.Router({ caseSensitive: true });
  let found: string | null = null;
  for (const { path } of routes) router.all(path, () => void (found = path));
  const foundFor = (url: string): string | null => {
    found = null;
    router({ url, method: 'GET' } as Request, {} as Response, () => undefined);
    return found;
  };
  for (const { path } of routes) {
    const target = path.replaceAll(/[:*]\w+/g, '0b8f3a52-4f4e-4a41-9f3e-1f0c1f0c1f0c');
    const [without, within] = [target.replace(/(?<=.)\/$/, ''), `${target.replace(/\/$/, '')}/`];
    for (const each of [without, within, `${without}?limit=1`]) expect(foundFor(each), each).toBe(path);
  }
});
