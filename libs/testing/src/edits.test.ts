import { toClientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('a caller can change their own name and company, and omitted fields are not changed', async () => {
  const { useCases, register, admitByToken } = await setUp();
  await register('ada');
  const edit = async (change: object) => useCases.updateOwnProfile(await admitByToken('ada'), change);
  expect(await edit({ fullName: 'Ada Lovelace', companyName: 'Engines' })).toMatchObject({ companyName: 'Engines' });
  expect(await edit({ fullName: 'Ada King' })).toMatchObject({ fullName: 'Ada King', companyName: 'Engines' });
  expect(await edit({ companyName: null })).toMatchObject({ fullName: 'Ada King', companyName: null });
});

test('an edit increases updatedAt, even if the clock is stopped; an edit without changes does not', async () => {
  const { useCases, register, admitByToken } = await setUp();
  await register('ada');
  const updatedAtBefore = (await admitByToken('ada')).profile.updatedAt;
  const { updatedAt } = await useCases.updateOwnProfile(await admitByToken('ada'), { fullName: 'Ada' });
  expect(updatedAt).toBeGreaterThan(updatedAtBefore);
  expect((await useCases.updateOwnProfile(await admitByToken('ada'), { fullName: 'Ada' })).updatedAt).toBe(updatedAt);
});

test('a collection and its operations are embedded again only if its text changes', async () => {
  const { useCases, authority, createCollection, runJobs, ports, clock } = await setUp();
  const id = await createCollection('Roads');
  await runJobs();
  const countWaiting = async () => (await ports.outbox.readState(clock.now())).waiting;
  expect(await useCases.updateCollection(authority, id, { name: 'Roads', strict: false })).toMatchObject({
    hasChanged: false,
  });
  expect(await countWaiting()).toBe(0);
  const { collection: renamed } = await useCases.updateCollection(authority, id, { name: 'Streets', strict: false });
  expect([renamed.revision, renamed.contentRevision, await countWaiting()]).toEqual([2, 2, 2]);
});

test('a credential is sealed in the store and opened for permitted callers, and each read is audited', async () => {
  const { useCases, authority, createCollection, approveClient, admitByKey, ports } = await setUp();
  const id = await createCollection('Roads');
  const bearer = { type: 'bearer', name: null, in: null, value: 's3cret' } as const;
  const { collection: updatedCollection } = await useCases.updateCollection(authority, id, {
    authentication: bearer,
    strict: false,
  });
  expect(JSON.stringify(updatedCollection)).not.toContain('s3cret');
  const ada = await approveClient('ada');
  await useCases.grantAccess(authority, toClientPair(ada.id, id));
  expect((await useCases.readMetadata(await admitByKey(ada.key, id))).authentication.value).toBe('s3cret');
  const credentialReads = { source: 'system', action: 'collection.credential_read', actorId: ada.id } as const;
  expect((await ports.audit.readPage(credentialReads, 0, 9)).total).toBe(1);
});

test('a collection is deleted together with its grants and its vector', async () => {
  const { useCases, authority, createCollection, approveClient, admitByKey, runJobs } = await setUp();
  const [id, ada] = [await createCollection('Roads'), await approveClient('ada')];
  await useCases.grantAccess(authority, toClientPair(ada.id, id));
  await runJobs();
  const search = async () => (await useCases.searchCollections(await admitByKey(ada.key, null), 'roads', 5)).results;
  expect(await search()).toMatchObject([{ collectionName: 'Roads' }]);
  await useCases.removeCollection(authority, id);
  await runJobs();
  expect(await search()).toEqual([]);
  await expect(useCases.removeCollection(authority, id)).rejects.toThrow('Collection not found');
});
