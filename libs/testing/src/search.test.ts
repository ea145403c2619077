import { clientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

/** Creates a harness that counts how often the collections that are visible to a caller are read. */
const setUp = async () => {
  const harness = createHarness();
  const { collections } = harness.ports;
  const visibleIds = collections.visibleIds.bind(collections);
  let reads = 0;
  Object.assign(collections, {
    visibleIds: (...args: Parameters<typeof visibleIds>) => (reads++, visibleIds(...args)),
  });
  return { ...harness, ...(await createFixtures(harness)), reads: () => reads };
};

test('the collections visible to a caller are read once until they change', async () => {
  const { useCases, authority, approved, byKey, collection, reads, runJobs } = await setUp();
  const { id, key } = await approved('ada');
  const weather = await collection('weather forecast');
  await runJobs();
  const search = async () => {
    const { results } = await useCases.searchCollections(await byKey(key, null), 'weather', 10);
    return results.map(({ collectionId }) => collectionId);
  };
  expect([await search(), await search(), reads()]).toEqual([[], [], 1]);
  await useCases.grantAccess(authority, clientPair(id, weather));
  expect([await search(), await search(), reads()]).toEqual([[weather], [weather], 2]);
});

test('searches of collections and of operations share the visible collections of a caller', async () => {
  const { useCases, approved, byKey, reads } = await setUp();
  const { key } = await approved('ada');
  await useCases.searchCollections(await byKey(key, null), 'weather', 1);
  const search = { query: 'weather', limit: 1, collectionId: null, method: null };
  await useCases.searchOperations(await byKey(key, null), search);
  expect(reads()).toBe(1);
});
