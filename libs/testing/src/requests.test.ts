import {
  toClientPair,
  toGroupPair,
  type CollectionId,
  type Group,
  type GroupId,
  type Principal,
  type RequestFilter,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const noFilter: RequestFilter = { status: null, profileId: null, collectionId: null };

const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases, clock } = harness;
  const createDiscoverable = async (name: string): Promise<CollectionId> => {
    const id = await fixtures.createCollection(name);
    await useCases.updateCollection(fixtures.authority, id, { discoverable: true, strict: false });
    return id;
  };
  const ada = await fixtures.approveClient('ada');
  const requestAccess = (by: Principal, collectionId: CollectionId) =>
    useCases.requestAccess(by, { collectionId, reason: 'For the bridge', durationDays: null });
  return {
    ...harness,
    ...fixtures,
    clock,
    ada,
    roads: await createDiscoverable('Roads'),
    bridges: await createDiscoverable('Bridges'),
    createDiscoverable,
    requestAccess,
  };
};

test('a grant to the requester or to a group of the requester closes only that request', async () => {
  const {
    useCases,
    ports,
    authority,
    clock,
    ada,
    admitByKey,
    roads,
    bridges,
    createDiscoverable,
    requestAccess,
    approveClient,
  } = await setUp();
  const [principal, bob] = [await admitByKey(ada.key, null), await admitByKey((await approveClient('bob')).key, null)];
  const tunnels = await createDiscoverable('Tunnels');
  for (const collection of [roads, bridges, tunnels]) await requestAccess(principal, collection);
  await requestAccess(bob, bridges);
  const now = clock.now();
  const id = ports.random.uuid() as GroupId;
  const group: Group = { id, name: 'builders', description: '', tier: null, createdAt: now, updatedAt: now };
  await ports.groups.add(group, { deadline: null });
  await ports.groups.updateMembers(id, [ada.id], now, () => ({
    add: [{ id: ada.id, addedAt: now }],
    deadline: null,
  }));
  clock.advance(7);
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  await useCases.grantAccess(authority, toGroupPair(id, bridges));
  const listStatuses = async (by: Principal) =>
    (await useCases.listRequests(by, noFilter, { limit: 9, after: null }))
      .map(({ collectionName, status, decidedAt }) => [collectionName, status, decidedAt])
      .sort();
  expect(await listStatuses(principal)).toEqual([
    ['Bridges', 'granted', now + 7],
    ['Roads', 'granted', now + 7],
    ['Tunnels', 'pending', null],
  ]);
  expect(await listStatuses(bob)).toEqual([['Bridges', 'pending', null]]);
  await expect(requestAccess(principal, bridges)).rejects.toThrow('Client already has access');
});

test('a request is validated against the stored state, not against the state at its admission', async () => {
  const { useCases, authority, admitByKey, admitByToken, ada, roads, requestAccess, approveClient } = await setUp();
  const principal = await admitByKey(ada.key, null);
  await useCases.suspendProfile(authority, ada.id, null);
  await expect(requestAccess(principal, roads)).rejects.toThrow('Invalid or expired token');
  await useCases.resumeProfile(authority, ada.id);
  await useCases.updateCollection(authority, roads, { discoverable: false, strict: false });
  await expect(requestAccess(principal, roads)).rejects.toThrow('Collection not found');
  await useCases.updateCollection(authority, roads, { discoverable: true, strict: false });
  await admitByToken('ada');
  await useCases.changeRole(authority, ada.id, 'admin');
  await expect(requestAccess(principal, roads)).rejects.toThrow('User is an admin and needs no grant');
  const bob = await approveClient('bob');
  const deletedPrincipal = await admitByKey(bob.key, null);
  await useCases.removeProfile(authority, bob.id);
  await expect(requestAccess(deletedPrincipal, roads)).rejects.toThrow('Invalid or expired token');
});

test('a request of a suspended client can be decided; the grant is inactive until the client is resumed', async () => {
  const { useCases, authority, admitByKey, ada, roads, requestAccess } = await setUp();
  const { id } = await requestAccess(await admitByKey(ada.key, null), roads);
  await useCases.suspendProfile(authority, ada.id, null);
  expect((await useCases.approveRequest(authority, id, undefined)).request.status).toBe('approved');
  await expect(admitByKey(ada.key, roads)).rejects.toThrow('Invalid API credentials');
  await useCases.resumeProfile(authority, ada.id);
  expect((await admitByKey(ada.key, roads)).hasGrant).toBe(true);
});

test('administrators are notified of a request once it is stored', async () => {
  const { ports, clock, admitByKey, ada, roads, requestAccess } = await setUp();
  const principal = await admitByKey(ada.key, null);
  const waiting = async () => (await ports.outbox.listDue('mail.notice', clock.now() + 3_600_000, 9)).length;
  for (const job of await ports.outbox.listDue('mail.notice', clock.now() + 3_600_000, 9))
    await ports.outbox.complete(job);
  await expect(requestAccess(principal, 'x' as CollectionId)).rejects.toThrow('Collection not found');
  expect(await waiting()).toBe(0);
  await requestAccess(principal, roads);
  expect(await waiting()).toBe(1);
});

test('an approval that loses a race does not change the winning decision', async () => {
  const { useCases, ports, authority, clock, admitByKey, ada, roads, requestAccess } = await setUp();
  const { id } = await requestAccess(await admitByKey(ada.key, null), roads);
  await useCases.denyRequest(authority, id, 'No');
  await expect(useCases.approveRequest(authority, id, null)).rejects.toThrow('Request already decided: denied');
  expect(await ports.requests.find(id)).toMatchObject({ status: 'denied', answer: 'No', decidedAt: clock.now() });
  expect(await useCases.listCollectionClients(authority, roads)).toEqual([]);
});
