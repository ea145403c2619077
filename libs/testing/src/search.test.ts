import { clientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createCast } from './cast.ts';
import { createHarness } from './harness.ts';

/** The system, which counts how often it reads what a caller may see. */
const setUp = async () => {
  const harness = createHarness();
  const { collections } = harness.ports;
  const visibleIds = collections.visibleIds.bind(collections);
  let reads = 0;
  Object.assign(collections, {
    visibleIds: (...args: Parameters<typeof visibleIds>) => (reads++, visibleIds(...args)),
  });
  return { ...harness, ...(await createCast(harness)), reads: () => reads };
};

test('what a caller may see is read once until it changes', async () => {
  const { useCases, authority, approved, byKey, collection, reads, runJobs } = await setUp();
  const { id, key } = await approved('ada');
  const weather = await collection('weather forecast');
  await runJobs();
  const found = async () => {
    const { results } = await useCases.searchCollections(await byKey(key, null), 'weather', 10);
    return results.map(({ collectionId }) => collectionId);
  };
  expect([await found(), await found(), reads()]).toEqual([[], [], 1]);
  await useCases.grantAccess(authority, clientPair(id, weather));
  expect([await found(), await found(), reads()]).toEqual([[weather], [weather], 2]);
});

test('searches of collections and of operations share what they know of a caller', async () => {
  const { useCases, approved, byKey, reads } = await setUp();
  const { key } = await approved('ada');
  await useCases.searchCollections(await byKey(key, null), 'weather', 1);
  const search = { query: 'weather', limit: 1, collectionId: null, method: null };
  await useCases.searchOperations(await byKey(key, null), search);
  expect(reads()).toBe(1);
});
