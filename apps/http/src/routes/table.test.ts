import express, { type Request, type Response } from 'express';
import { expect, test } from 'vitest';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { routes } from './table.ts';

test('every endpoint of the specification is a row, and ignores unknown query parameters', () => {
  const lenientRoutes = routes
    .filter(({ rejectsUnknownParameters }) => !rejectsUnknownParameters)
    .map(({ method, path }) => `${method} ${path}`);
  expect(lenientRoutes).toEqual(expect.arrayContaining([...specifiedEndpoints]));
  expect(lenientRoutes.filter((name) => name.includes(' /api/')).sort()).toEqual([...specifiedEndpoints].sort());
});

test('no row is shadowed by an earlier row, with or without a trailing slash', () => {
  const router = express.Router({ caseSensitive: true });
  let matchedPath: string | null = null;
  for (const { path } of routes) router.all(path, () => void (matchedPath = path));
  const pathFor = (url: string): string | null => {
    matchedPath = null;
    router({ url, method: 'GET' } as Request, {} as Response, () => undefined);
    return matchedPath;
  };
  for (const { path } of routes) {
    const target = path.replaceAll(/[:*]\w+/g, '0b8f3a52-4f4e-4a41-9f3e-1f0c1f0c1f0c');
    const [withoutSlash, withSlash] = [target.replace(/(?<=.)\/$/, ''), `${target.replace(/\/$/, '')}/`];
    for (const url of [withoutSlash, withSlash, `${withoutSlash}?limit=1`]) expect(pathFor(url), url).toBe(path);
  }
});
