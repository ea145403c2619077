import {
  toClientPair,
  toGroupPair,
  jobKinds,
  type JobId,
  type JobKind,
  type OperationKey,
  type ProfileId,
  type ProfileReference,
  type UseCases,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const day = 86_400_000;

/** Creates a harness that records the jobs offered to the queue, and lists all waiting jobs. */
const setUp = async () => {
  const offered = new Map<JobId, JobKind>();
  const offer = (kind: JobKind, ids: readonly JobId[]) => ids.forEach((id) => offered.set(id, kind));
  const harness = createHarness({}, { queue: { offer, start: () => undefined, stop: async () => undefined } });
  const listWaiting = async () =>
    (
      await Promise.all(jobKinds.map((kind) => harness.ports.outbox.listDue(kind, Number.MAX_SAFE_INTEGER, 10_000)))
    ).flat();
  return { ...harness, ...(await createFixtures(harness)), offered, listWaiting };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

const prepareRequest = async (
  { useCases, authority, approveClient, createCollection, admitByKey }: Setup,
  uid: string,
) => {
  const client = await approveClient(uid);
  const collectionId = await createCollection(`Wanted by ${uid}`);
  await useCases.updateCollection(authority, collectionId, { discoverable: true, strict: false });
  const requestAccess = async () =>
    useCases.requestAccess(await admitByKey(client.key, null), { collectionId, reason: 'Why not', durationDays: null });
  return { client, collectionId, requestAccess };
};

/** Creates a group that has access to the collection that this client has requested. */
const setUpGroup = async (setup: Setup, uid: string) => {
  const { useCases, authority } = setup;
  const { client, collectionId, requestAccess } = await prepareRequest(setup, uid);
  const group = await useCases.createGroup(authority, { name: uid, description: '', tier: null });
  await requestAccess();
  await useCases.grantAccess(authority, toGroupPair(group.id, collectionId));
  return { client, group };
};

const prepareCall = async ({ useCases, authority, approveClient, createCollection, admitByKey }: Setup) => {
  const [client, collectionId] = [await approveClient('ada'), await createCollection('Roads')];
  await useCases.grantAccess(authority, toClientPair(client.id, collectionId));
  const principal = await admitByKey(client.key, collectionId);
  const operation = { key: 'aaaaaaaaaaaaaaaa' as OperationKey, method: 'DELETE', path: '/' };
  return () => useCases.holdCall(principal, operation, '{}', null);
};

/** Sets up the preconditions of a use case, and returns a function that calls it. */
type Preparation = (setup: Setup) => Promise<() => Promise<unknown>>;

const toIdReference = (id: ProfileId): ProfileReference => ({ by: 'id', id });

/** All use cases that may write jobs. */
const jobWritingUseCases = {
  registerProfile:
    async ({ register }) =>
    () =>
      register('ada'),
  approveProfile: async ({ useCases, authority, register }) => {
    const { id } = await register('ada');
    return () => useCases.approveProfile(authority, id);
  },
  approveMany: async ({ useCases, authority, register }) => {
    const profiles = [await register('ada'), await register('bob')];
    return () =>
      useCases.approveMany(
        authority,
        profiles.map(({ id }) => toIdReference(id)),
      );
  },
  rejectProfile: async ({ useCases, authority, register }) => {
    const { id } = await register('ada');
    return () => useCases.rejectProfile(authority, id, null);
  },
  rotateCredentials: async ({ useCases, authority, approveClient }) => {
    const { id } = await approveClient('ada');
    return () => useCases.rotateCredentials(authority, id, 0);
  },
  suspendProfile: async ({ useCases, authority, approveClient }) => {
    const { id } = await approveClient('ada');
    return () => useCases.suspendProfile(authority, id, null);
  },
  resumeProfile: async ({ useCases, authority, approveClient }) => {
    const { id } = await approveClient('ada');
    await useCases.suspendProfile(authority, id, null);
    return () => useCases.resumeProfile(authority, id);
  },
  createCollection:
    async ({ createCollection }) =>
    () =>
      createCollection('Roads'),
  updateCollection: async ({ useCases, authority, createCollection }) => {
    const id = await createCollection('Roads');
    return () => useCases.updateCollection(authority, id, { name: 'Rivers', strict: false });
  },
  removeCollection: async ({ useCases, authority, createCollection }) => {
    const id = await createCollection('Roads');
    return () => useCases.removeCollection(authority, id);
  },
  importCollection: async ({ useCases, authority, admin, documents }) => {
    const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths: {} });
    const document = await documents.readFile(Buffer.from(text));
    const input = { importKey: 'roads', name: 'Roads', description: '', authentication: null };
    return () => useCases.importCollection(authority, admin.id, { ...input, document, strict: false });
  },
  requestAccess: async (setup) => {
    const { requestAccess } = await prepareRequest(setup, 'ada');
    // Otherwise the request would be added to the pending notice.
    for (const id of await setup.listWaiting()) await setup.ports.outbox.complete(id);
    return requestAccess;
  },
  rotateOwnCredentials: async ({ useCases, authority, approveClient, admitByKey }) => {
    const url = 'https://hooks.example.com';
    await useCases.createWebhook(authority, { url, description: '', events: ['key.rotated'], isActive: true });
    const principal = await admitByKey((await approveClient('ada')).key, null);
    return () => useCases.rotateOwnCredentials(principal, 0);
  },
  approveRequest: async (setup) => {
    const { id } = await (await prepareRequest(setup, 'ada')).requestAccess();
    return () => setup.useCases.approveRequest(setup.authority, id, undefined);
  },
  denyRequest: async (setup) => {
    const { id } = await (await prepareRequest(setup, 'ada')).requestAccess();
    return () => setup.useCases.denyRequest(setup.authority, id, null);
  },
  holdCall: async (setup) => {
    const holdCall = await prepareCall(setup);
    // Otherwise the call would be added to the pending notice.
    for (const id of await setup.listWaiting()) await setup.ports.outbox.complete(id);
    return holdCall;
  },
  approveCall: async (setup) => {
    const { id } = await (await prepareCall(setup))();
    return () => setup.useCases.approveCall(setup.authority, id);
  },
  denyCall: async (setup) => {
    const { id } = await (await prepareCall(setup))();
    return () => setup.useCases.denyCall(setup.authority, id, null);
  },
  grantAccess: async (setup) => {
    const { client, collectionId, requestAccess } = await prepareRequest(setup, 'ada');
    await requestAccess();
    return () => setup.useCases.grantAccess(setup.authority, toClientPair(client.id, collectionId));
  },
  grantMany: async (setup) => {
    const { client, collectionId, requestAccess } = await prepareRequest(setup, 'ada');
    await requestAccess();
    const collections = [{ by: 'id', id: collectionId }] as const;
    return () =>
      setup.useCases.grantMany(setup.authority, { profiles: [toIdReference(client.id)], groups: [], collections });
  },
  addMember: async (setup) => {
    const { client, group } = await setUpGroup(setup, 'ada');
    return () => setup.useCases.addMember(setup.authority, group.id, client.id);
  },
  addMembers: async (setup) => {
    const { client, group } = await setUpGroup(setup, 'ada');
    return () => setup.useCases.addMembers(setup.authority, group.id, [client.id]);
  },
  updateGroup: async (setup) => {
    const { group } = await setUpGroup(setup, 'ada');
    const credential = setup.tokens.mint({ uid: 'ada', email: 'ada@example.com', groups: ['renamed'] });
    await setup.useCases.admit({
      credential: { kind: 'token', token: credential },
      auth: 'token or key',
      target: null,
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
    return () => setup.useCases.updateGroup(setup.authority, group.id, { name: 'renamed' });
  },
  /** Syncs the groups of a token. */
  admit: async (setup) => {
    await setUpGroup(setup, 'ada');
    const token = setup.tokens.mint({ uid: 'ada', email: 'ada@example.com', groups: ['ada'] });
    return () =>
      setup.useCases.admit({
        credential: { kind: 'token', token },
        auth: 'token or key',
        target: null,
        sender: { address: '192.0.2.1' },
        deadline: null,
      });
  },
  sendExpiryNotices: async ({ useCases, authority, approveClient, createCollection, clock }) => {
    const [{ id }, roads] = [await approveClient('ada'), await createCollection('Roads')];
    await useCases.grantAccess(authority, toClientPair(id, roads), clock.now() + 8 * day);
    await useCases.sendExpiryNotices();
    clock.advance(day);
    return () => useCases.sendExpiryNotices();
  },
  startReindex: async ({ useCases, authority, createCollection, runJobs }) => {
    await createCollection('Roads');
    await runJobs();
    return () => useCases.startReindex(authority);
  },
  checkModels: async ({ useCases, createCollection, ports }) => {
    await createCollection('Roads');
    for (const kind of ['embed', 'operations'] as const)
      for (const id of await ports.outbox.listDue(kind, Number.MAX_SAFE_INTEGER, 9)) await ports.outbox.complete(id);
    return () => useCases.checkModels();
  },
} satisfies Partial<Record<keyof UseCases, Preparation>>;

test('every use case that writes jobs offers them immediately, and together they write all kinds of jobs', async () => {
  const kinds = new Set<JobKind>();
  for (const [name, prepare] of Object.entries<Preparation>(jobWritingUseCases)) {
    const setup = await setUp();
    const run = await prepare(setup);
    const idsBefore = new Set(await setup.listWaiting());
    setup.offered.clear();
    await run();
    const writtenIds = (await setup.listWaiting()).filter((id) => !idsBefore.has(id));
    const offeredKinds = writtenIds.flatMap((id) => setup.offered.get(id) ?? []);
    expect([name, offeredKinds.length]).toEqual([name, Math.max(1, writtenIds.length)]);
    for (const kind of offeredKinds) kinds.add(kind);
  }
  expect([...kinds].sort()).toEqual([...jobKinds].sort());
});

test('a change offers only 500 jobs of a kind, and leaves the rest to the relay', async () => {
  const { ports, offered, clock } = await setUp();
  const jobs = Array.from({ length: 501 }, () => ({
    id: ports.random.uuid() as JobId,
    task: { kind: 'mail.rejection' as const, profileId: ports.random.uuid() as ProfileId, reason: null },
    group: null,
    dueAt: clock.now(),
  }));
  await ports.embeddingJobs.enqueue({ jobs, deadline: null });
  expect(offered.size).toBe(500);
});
