import { expect, test } from 'vitest';
import { createRememberedQueries } from './remembered-queries.ts';

interface Result {
  readonly modelId: string;
  readonly number: number;
}

/** What is remembered, over an embedder that counts. */
const createSubject = (bytes = 3_072) => {
  const remembered = createRememberedQueries<Result>(() => bytes);
  let number = 0;
  const embedding = (modelId: string) => async (): Promise<Result> => ({ modelId, number: (number += 1) });
  return {
    remembered,
    find: (query: string, modelId: string | null = 'm', madeBy = modelId ?? 'm') =>
      remembered(modelId, query, embedding(madeBy)),
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

test('equal queries under way share one embedding', async () => {
  const { find, count } = createSubject();
  const results = await Promise.all([find('weather'), find('weather'), find('rain')]);
  expect(results[0]).toBe(results[1]);
  expect(count()).toBe(2);
});

test('another model is asked anew, and so is the one before if it comes back', async () => {
  const { find } = createSubject();
  const first = await find('weather', 'm');
  expect((await find('weather', 'n')).modelId).toBe('n');
  expect(await find('weather', 'm')).toBe(first);
});

test('what another model made is returned, but never remembered', async () => {
  const { find } = createSubject();
  expect((await find('weather', 'm', 'n')).modelId).toBe('n');
  expect((await find('weather', 'm')).modelId).toBe('m');
  expect(await find('weather', 'n')).toMatchObject({ number: 3 });
});

test('while no model is known nothing is remembered', async () => {
  const { find, count } = createSubject();
  await find('weather', null);
  await find('weather', null);
  expect(count()).toBe(2);
});

test('a failure reaches everybody who shares it, and is not remembered', async () => {
  const { remembered, find } = createSubject();
  const fail = () => Promise.reject(new Error('away'));
  const results = await Promise.allSettled([remembered('m', 'weather', fail), remembered('m', 'weather', fail)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('weather')).toMatchObject({ number: 1 });
});

test('of 2,000 queries the one that was not asked for the longest is forgotten', async () => {
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

test('together they take no more than 8 MB', async () => {
  const { find, count } = createSubject(1024 * 1024);
  for (let i = 0; i < 8; i += 1) await find(`query ${i}`);
  await find('query 1');
  expect(count()).toBe(8);
  await find('query 0');
  expect(count()).toBe(9);
});
