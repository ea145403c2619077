import { expect, test } from 'vitest';
import { createQueryCache } from './query-cache.ts';

interface Result {
  readonly modelId: string;
  readonly number: number;
}

/** Creates a query cache, with an embedder that counts its calls. */
const createSubject = (bytes = 3_072) => {
  const cachedQuery = createQueryCache<Result>(() => bytes);
  let number = 0;
  const embedding = (modelId: string) => async (): Promise<Result> => ({ modelId, number: (number += 1) });
  return {
    remembered: cachedQuery,
    find: (query: string, modelId: string | null = 'm', producedBy = modelId ?? 'm') =>
      cachedQuery(modelId, query, embedding(producedBy)),
    count: () => number,
  };
};

test('a query is embedded once', async () => {
  const { find, count } = createSubject();
  const first = await find('weather');
  expect(await find('weather')).toBe(first);
  expect(await find('Weather')).not.toBe(first);
  expect(count()).toBe(2);
});

test('equal concurrent queries share one embedding', async () => {
  const { find, count } = createSubject();
  const results = await Promise.all([find('weather'), find('weather'), find('rain')]);
  expect(results[0]).toBe(results[1]);
  expect(count()).toBe(2);
});

test('a query is embedded again by another model, and cached vectors of the previous model are used if it returns', async () => {
  const { find } = createSubject();
  const first = await find('weather', 'm');
  expect((await find('weather', 'n')).modelId).toBe('n');
  expect(await find('weather', 'm')).toBe(first);
});

test('a vector of another model is returned, but never cached', async () => {
  const { find } = createSubject();
  expect((await find('weather', 'm', 'n')).modelId).toBe('n');
  expect((await find('weather', 'm')).modelId).toBe('m');
  expect(await find('weather', 'n')).toMatchObject({ number: 3 });
});

test('nothing is cached while no model is known', async () => {
  const { find, count } = createSubject();
  await find('weather', null);
  await find('weather', null);
  expect(count()).toBe(2);
});

test('a failure reaches every caller that shares it, and is not cached', async () => {
  const { remembered: cachedQuery, find } = createSubject();
  const fail = () => Promise.reject(new Error('unavailable'));
  const results = await Promise.allSettled([cachedQuery('m', 'weather', fail), cachedQuery('m', 'weather', fail)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('weather')).toMatchObject({ number: 1 });
});

test('of 2,000 queries the least recently used one is evicted', async () => {
  const { find, count } = createSubject();
  for (let i = 0; i < 2_000; i += 1) await find(`query ${i}`);
  await find('query 0');
  await find('one more');
  expect(count()).toBe(2_001);
  await find('query 0');
  expect(count()).toBe(2_001);
  await find('query 1');
  expect(count()).toBe(2_002);
});

test('the cache takes at most 8 MB', async () => {
  const { find, count } = createSubject(1024 * 1024);
  for (let i = 0; i < 8; i += 1) await find(`query ${i}`);
  await find('query 1');
  expect(count()).toBe(8);
  await find('query 0');
  expect(count()).toBe(9);
});
