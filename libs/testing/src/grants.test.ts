import { toClientPair } from '@portico/domain';
import type { CollectionId, ProfileId } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const unknownId = '00000000-0000-4000-8000-00000000dead';

const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  return {
    ...harness,
    ...fixtures,
    ada: await fixtures.approveClient('ada'),
    roads: await fixtures.createCollection('Roads'),
  };
};

test('a client can read a collection from the time access is granted until it is revoked', async () => {
  const { useCases, authority, admitByKey, ada, roads } = await setUp();
  const read = async () => useCases.readMetadata(await admitByKey(ada.key, roads));
  await expect(read()).rejects.toThrow('No access to this collection');
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  expect((await read()).collection.name).toBe('Roads');
  await useCases.revokeAccess(authority, toClientPair(ada.id, roads));
  await expect(read()).rejects.toThrow('No access to this collection');
});

test('a grant is in the lists of its client and of its collection', async () => {
  const { useCases, authority, clock, ada, roads, createCollection } = await setUp();
  await createCollection('Bridges');
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  expect(await useCases.listClientAccess(authority, ada.id)).toMatchObject([
    { name: 'Bridges', grants: [] },
    { name: 'Roads', grants: [{ group: null, grantedAt: clock.now(), expiresAt: null, rule: null }] },
  ]);
  expect(await useCases.listCollectionClients(authority, roads)).toMatchObject([{ profile: { uid: 'ada' } }]);
});

test('the rules for granting are checked in order: client, collection, existing grant', async () => {
  const { useCases, authority, admin, ada, roads } = await setUp();
  const grant = (client: string, collection: string) =>
    useCases.grantAccess(authority, toClientPair(client as ProfileId, collection as CollectionId));
  await expect(grant(unknownId, unknownId)).rejects.toThrow('Client not found');
  await expect(grant(admin.id, roads)).rejects.toThrow('Client not found');
  await expect(grant(ada.id, unknownId)).rejects.toThrow('Collection not found');
  await grant(ada.id, roads);
  await expect(grant(ada.id, roads)).rejects.toThrow('Client already has access');
});

test('a missing grant cannot be revoked', async () => {
  const { useCases, authority, ada, roads } = await setUp();
  await expect(useCases.revokeAccess(authority, toClientPair(ada.id, roads))).rejects.toThrow('Grant not found');
});

test('grants are suspended while their client is an admin, and active when it is a client again', async () => {
  const { useCases, authority, admitByToken, ada, roads } = await setUp();
  await admitByToken('ada');
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  await useCases.changeRole(authority, ada.id, 'admin');
  expect(await useCases.listCollectionClients(authority, roads)).toEqual([]);
  await useCases.changeRole(authority, ada.id, 'client');
  expect(await useCases.listCollectionClients(authority, roads)).toMatchObject([{ profile: { uid: 'ada' } }]);
  expect((await useCases.readMetadata(await admitByToken('ada', roads))).collection.name).toBe('Roads');
});

test('a grant takes effect for a pending profile, and never for a rejected one', async () => {
  const { useCases, authority, register, admitByToken, roads } = await setUp();
  const { id } = await register('bob');
  await useCases.grantAccess(authority, toClientPair(id, roads));
  const list = async () => (await useCases.listCollections(await admitByToken('bob'), null)).map(({ name }) => name);
  expect(await list()).toEqual(['Roads']);
  await useCases.rejectProfile(authority, id, null);
  expect(await list()).toEqual([]);
  await expect(useCases.readMetadata(await admitByToken('bob', roads))).rejects.toThrow('No access to this collection');
});
