import { clientPair } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('a caller can change their own name and company, and omitted fields stay', async () => {
  const { useCases, register, byToken } = await setUp();
  await register('ada');
  const edit = async (change: object) => useCases.updateOwnProfile(await byToken('ada'), change);
  expect(await edit({ fullName: 'Ada Lovelace', companyName: 'Engines' })).toMatchObject({ companyName: 'Engines' });
  expect(await edit({ fullName: 'Ada King' })).toMatchObject({ fullName: 'Ada King', companyName: 'Engines' });
  expect(await edit({ companyName: null })).toMatchObject({ fullName: 'Ada King', companyName: null });
});

test('an edit increases updatedAt, even if the clock is stopped; an edit without changes does not', async () => {
  const { useCases, register, byToken } = await setUp();
  await register('ada');
  const before = (await byToken('ada')).profile.updatedAt;
  const { updatedAt } = await useCases.updateOwnProfile(await byToken('ada'), { fullName: 'Ada' });
  expect(updatedAt).toBeGreaterThan(before);
  expect((await useCases.updateOwnProfile(await byToken('ada'), { fullName: 'Ada' })).updatedAt).toBe(updatedAt);
});

test('a collection and its operations are embedded again only if its text changes', async () => {
  const { useCases, authority, collection, runJobs, ports, clock } = await setUp();
  const id = await collection('Roads');
  await runJobs();
  const waiting = async () => (await ports.outbox.state(clock.now())).waiting;
  expect(await useCases.updateCollection(authority, id, { name: 'Roads', strict: false })).toMatchObject({
    changed: false,
  });
  expect(await waiting()).toBe(0);
  const { collection: renamed } = await useCases.updateCollection(authority, id, { name: 'Streets', strict: false });
  expect([renamed.revision, renamed.contentRevision, await waiting()]).toEqual([2, 2, 2]);
});

test('a credential is sealed in the store and opened for permitted callers, and each read is audited', async () => {
  const { useCases, authority, collection, approved, byKey, ports } = await setUp();
  const id = await collection('Roads');
  const bearer = { type: 'bearer', name: null, in: null, value: 's3cret' } as const;
  const { collection: stored } = await useCases.updateCollection(authority, id, {
    authentication: bearer,
    strict: false,
  });
  expect(JSON.stringify(stored)).not.toContain('s3cret');
  const ada = await approved('ada');
  await useCases.grantAccess(authority, clientPair(ada.id, id));
  expect((await useCases.readMetadata(await byKey(ada.key, id))).authentication.value).toBe('s3cret');
  const credentialReads = { source: 'system', action: 'collection.credential_read', actorId: ada.id } as const;
  expect((await ports.audit.page(credentialReads, 0, 9)).total).toBe(1);
});

test('a collection is deleted together with its grants and its vector', async () => {
  const { useCases, authority, collection, approved, byKey, runJobs } = await setUp();
  const [id, ada] = [await collection('Roads'), await approved('ada')];
  await useCases.grantAccess(authority, clientPair(ada.id, id));
  await runJobs();
  const search = async () => (await useCases.searchCollections(await byKey(ada.key, null), 'roads', 5)).results;
  expect(await search()).toMatchObject([{ collectionName: 'Roads' }]);
  await useCases.removeCollection(authority, id);
  await runJobs();
  expect(await search()).toEqual([]);
  await expect(useCases.removeCollection(authority, id)).rejects.toThrow('Collection not found');
});
