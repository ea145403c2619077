import { expect, test } from 'vitest';
import { createQueryCache } from './query-cache.ts';

interface Result {
  readonly modelId: string;
  readonly number: number;
}

/** Creates a query cache, with an embedder that counts its calls. */
const createSubject = (bytes = 3_072) => {
  const embedCached = createQueryCache<Result>(() => bytes);
  let number = 0;
  const embedding = (modelId: string) => async (): Promise<Result> => ({ modelId, number: (number += 1) });
  return {
    embedCached,
    find: (query: string, modelId: string | null = 'm', producedBy = modelId ?? 'm') =>
      embedCached(modelId, query, embedding(producedBy)),
    count: () => number,
  };
};

test('a query is embedded once', async () => {
  const { find, count } = createSubject();
  const firstResult = await find('weather');
  expect(await find('weather')).toBe(firstResult);
  expect(await find('Weather')).not.toBe(firstResult);
  expect(count()).toBe(2);
});

test('equal concurrent queries share one embedding', async () => {
  const { find, count } = createSubject();
  const results = await Promise.all([find('weather'), find('weather'), find('rain')]);
  expect(results[0]).toBe(results[1]);
  expect(count()).toBe(2);
});

test('a query is embedded again by a different model, and the cached vectors are used if the previous model returns', async () => {
  const { find } = createSubject();
  const firstResult = await find('weather', 'm');
  expect((await find('weather', 'n')).modelId).toBe('n');
  expect(await find('weather', 'm')).toBe(firstResult);
});

test('a vector of a different model is returned, but never cached', async () => {
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
  const { embedCached, find } = createSubject();
  const fail = () => Promise.reject(new Error('unavailable'));
  const results = await Promise.allSettled([embedCached('m', 'weather', fail), embedCached('m', 'weather', fail)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('weather')).toMatchObject({ number: 1 });
});

test('when 2,000 queries are cached, the least recently used one is evicted', async () => {
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

test('the cache uses at most 8 MB', async () => {
  const { find, count } = createSubject(1024 * 1024);
  for (let i = 0; i < 8; i += 1) await find(`query ${i}`);
  await find('query 1');
  expect(count()).toBe(8);
  await find('query 0');
  expect(count()).toBe(9);
});
