import { toClientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

/** Creates a harness that counts how often the collections that are visible to a caller are read. */
const setUp = async () => {
  const harness = createHarness();
  const { collections } = harness.ports;
  const listVisibleIds = collections.listVisibleIds.bind(collections);
  let reads = 0;
  Object.assign(collections, {
    listVisibleIds: (...args: Parameters<typeof listVisibleIds>) => (reads++, listVisibleIds(...args)),
  });
  return { ...harness, ...(await createFixtures(harness)), countReads: () => reads };
};

test('the collections visible to a caller are read once until they change', async () => {
  const { useCases, authority, approveClient, admitByKey, createCollection, countReads, runJobs } = await setUp();
  const { id, key } = await approveClient('ada');
  const weather = await createCollection('weather forecast');
  await runJobs();
  const search = async () => {
    const { results } = await useCases.searchCollections(await admitByKey(key, null), 'weather', 10);
    return results.map(({ collectionId }) => collectionId);
  };
  expect([await search(), await search(), countReads()]).toEqual([[], [], 1]);
  await useCases.grantAccess(authority, toClientPair(id, weather));
  expect([await search(), await search(), countReads()]).toEqual([[weather], [weather], 2]);
});

test("collection and operation searches share a caller's visible collections", async () => {
  const { useCases, approveClient, admitByKey, countReads } = await setUp();
  const { key } = await approveClient('ada');
  await useCases.searchCollections(await admitByKey(key, null), 'weather', 1);
  const search = { query: 'weather', limit: 1, collectionId: null, method: null };
  await useCases.searchOperations(await admitByKey(key, null), search);
  expect(countReads()).toBe(1);
});
