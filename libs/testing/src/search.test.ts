import { clientPair } from '@portico/domain';
import type { ProfileId } from '@portico/domain';
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

test('what 1,000 callers may see is kept, the oldest going first', async () => {
  const { useCases, approved, byKey, reads } = await setUp();
  const principal = await byKey((await approved('ada')).key, null);
  const searchAs = (id: string) =>
    useCases.searchCollections({ ...principal, profile: { ...principal.profile, id: id as ProfileId } }, 'weather', 1);
  for (let caller = 0; caller <= 1_000; caller++) await searchAs(`caller ${caller}`);
  expect(reads()).toBe(1_001);
  await searchAs('caller 1');
  expect(reads()).toBe(1_001);
  await searchAs('caller 0');
  expect(reads()).toBe(1_002);
});
