import express, { type Express } from 'express';
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { byPath, createRouteLookup } from './route-lookup.ts';
import { routes } from './routes/table.ts';

const paths = byPath(routes);
const lookUp = createRouteLookup(paths);

/** What Express finds for the same target: the path template and the parameters. */
const foundByExpress = (() => {
  const app: Express = express();
  app.disable('x-powered-by').set('query parser', false).enable('case sensitive routing');
  let found: { path: string; params: Record<string, unknown> } | null = null;
  for (const path of paths.keys()) {
    app.all(path, (request) => {
      found = { path, params: { ...request.params } };
    });
  }
  return (url: string) => {
    found = null;
    app({ url, method: 'GET', headers: {} } as never, {} as never, () => undefined);
    return found;
  };
})();

const found = (target: string) => {
  const at = lookUp(target);
  return at && { path: [...paths].find(([, methods]) => methods === at.methods)?.[0], params: { ...at.params } };
};

const words = [...new Set([...paths.keys()].flatMap((path) => path.split('/')))].filter((word) => /^[^:*]/.test(word));
const segment = oneof(
  constantFrom(...words, '', '.', '..', 'register', '0b8f3a52-4f4e-4a41-9f3e-1f0c1f0c1f0c', '__proto__', 'constructor'),
  string({ maxLength: 4 }),
);

test('what it finds is what the router of Express finds', () => {
  assert(
    property(array(segment, { maxLength: 7 }), constantFrom('', '/', '?', '?a=/b', '/?x', '#a'), (segments, end) => {
      const target = `/${segments.join('/')}${end}`;
      const at = found(target);
      if (at) expect(at).toEqual(foundByExpress(target));
    }),
    { numRuns: 5_000 },
  );
});

test('it finds every path of the table, with and without a slash at its end', () => {
  const id = '0b8f3a52-4f4e-4a41-9f3e-1f0c1f0c1f0c';
  for (const path of paths.keys()) {
    if (path === '/' || path.includes('*')) continue;
    for (const target of [path, `${path}/`, `${path}?limit=1`].map((one) => one.replaceAll(/:\w+/g, id))) {
      expect(found(target), target).toEqual(foundByExpress(target));
      expect(found(target)?.path).toBe(path);
    }
  }
});

test.each([
  '/',
  '//health',
  '/health//',
  '/api/collections/a%2Fb',
  'http://localhost/health',
  '*',
  '/health#x',
  '/nothing',
])('it leaves %s to Express', (target) => {
  expect(lookUp(target)).toBeNull();
});

test('two names for one place are refused', () => {
  const of = (path: string) => byPath([{ ...routes[0], path } as (typeof routes)[number]]);
  const both = new Map([...of('/a/:id'), ...of('/a/:name/b')]);
  expect(() => createRouteLookup(both)).toThrow('/a/:name/b: its place has the name id');
});
