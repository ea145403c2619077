import { expect, test } from 'vitest';
import { perKind, type RequestKind } from './request-kinds.ts';

test('what requests of a kind share is made once, and for each method, route and status apart', () => {
  const made: RequestKind[] = [];
  const sharedBy = perKind((kind) => {
    made.push(kind);
    return kind;
  });
  const kinds = ['/a', '/b'].flatMap((route) =>
    ['GET', 'PUT'].flatMap((method) => [200, 404].map((status) => ({ method, route, status }))),
  );
  const first = kinds.map(({ method, route, status }) => sharedBy(method, route, status));
  const again = kinds.map(({ method, route, status }) => sharedBy(method, route, status));
  expect(made).toEqual(kinds);
  for (const [at, shared] of again.entries()) expect(shared).toBe(first[at]);
});
