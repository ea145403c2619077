import {
  clientPair,
  groupPair,
  jobKinds,
  type JobId,
  type JobKind,
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
  const waiting = async () =>
    (await Promise.all(jobKinds.map((kind) => harness.ports.outbox.due(kind, Number.MAX_SAFE_INTEGER, 10_000)))).flat();
  return { ...harness, ...(await createFixtures(harness)), offered, waiting };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

const prepareRequest = async ({ useCases, authority, approved, collection, byKey }: Setup, uid: string) => {
  const client = await approved(uid);
  const collectionId = await collection(`Wanted by ${uid}`);
  await useCases.updateCollection(authority, collectionId, { discoverable: true, strict: false });
  const requestAccess = async () =>
    useCases.requestAccess(await byKey(client.key, null), { collectionId, reason: 'Why not', durationDays: null });
  return { client, collectionId, requestAccess };
};

/** Creates a group that has access to the collection that this client has requested. */
const withGroup = async (scene: Setup, uid: string) => {
  const { useCases, authority } = scene;
  const { client, collectionId, requestAccess } = await prepareRequest(scene, uid);
  const group = await useCases.createGroup(authority, { name: uid, description: '', tier: null });
  await requestAccess();
  await useCases.grantAccess(authority, groupPair(group.id, collectionId));
  return { client, group };
};

/** Sets up the preconditions of a use case, and returns a function that calls it. */
type Preparation = (scene: Setup) => Promise<() => Promise<unknown>>;

const byId = (id: ProfileId): ProfileReference => ({ by: 'id', id });

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
    const people = [await register('ada'), await register('bob')];
    return () =>
      useCases.approveMany(
        authority,
        people.map(({ id }) => byId(id)),
      );
  },
  rejectProfile: async ({ useCases, authority, register }) => {
    const { id } = await register('ada');
    return () => useCases.rejectProfile(authority, id, null);
  },
  rotateCredentials: async ({ useCases, authority, approved }) => {
    const { id } = await approved('ada');
    return () => useCases.rotateCredentials(authority, id, 0);
  },
  suspendProfile: async ({ useCases, authority, approved }) => {
    const { id } = await approved('ada');
    return () => useCases.suspendProfile(authority, id, null);
  },
  resumeProfile: async ({ useCases, authority, approved }) => {
    const { id } = await approved('ada');
    await useCases.suspendProfile(authority, id, null);
    return () => useCases.resumeProfile(authority, id);
  },
  createCollection:
    async ({ collection }) =>
    () =>
      collection('Roads'),
  updateCollection: async ({ useCases, authority, collection }) => {
    const id = await collection('Roads');
    return () => useCases.updateCollection(authority, id, { name: 'Rivers', strict: false });
  },
  removeCollection: async ({ useCases, authority, collection }) => {
    const id = await collection('Roads');
    return () => useCases.removeCollection(authority, id);
  },
  importCollection: async ({ useCases, authority, admin, documents }) => {
    const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths: {} });
    const document = await documents.readFile(Buffer.from(text), 'json');
    const input = { importKey: 'roads', name: 'Roads', description: '', authentication: null };
    return () => useCases.importCollection(authority, admin.id, { ...input, document, strict: false });
  },
  requestAccess: async (scene) => {
    const { requestAccess } = await prepareRequest(scene, 'ada');
    // Otherwise the request would be added to the pending notice.
    for (const id of await scene.waiting()) await scene.ports.outbox.done(id);
    return requestAccess;
  },
  approveRequest: async (scene) => {
    const { id } = await (await prepareRequest(scene, 'ada')).requestAccess();
    return () => scene.useCases.approveRequest(scene.authority, id, undefined);
  },
  denyRequest: async (scene) => {
    const { id } = await (await prepareRequest(scene, 'ada')).requestAccess();
    return () => scene.useCases.denyRequest(scene.authority, id, null);
  },
  grantAccess: async (scene) => {
    const { client, collectionId, requestAccess } = await prepareRequest(scene, 'ada');
    await requestAccess();
    return () => scene.useCases.grantAccess(scene.authority, clientPair(client.id, collectionId));
  },
  grantMany: async (scene) => {
    const { client, collectionId, requestAccess } = await prepareRequest(scene, 'ada');
    await requestAccess();
    const collections = [{ by: 'id', id: collectionId }] as const;
    return () => scene.useCases.grantMany(scene.authority, { profiles: [byId(client.id)], groups: [], collections });
  },
  addMember: async (scene) => {
    const { client, group } = await withGroup(scene, 'ada');
    return () => scene.useCases.addMember(scene.authority, group.id, client.id);
  },
  addMembers: async (scene) => {
    const { client, group } = await withGroup(scene, 'ada');
    return () => scene.useCases.addMembers(scene.authority, group.id, [client.id]);
  },
  updateGroup: async (scene) => {
    const { group } = await withGroup(scene, 'ada');
    const credential = scene.tokens.mint({ uid: 'ada', email: 'ada@example.com', groups: ['renamed'] });
    await scene.useCases.admit({
      credential: { kind: 'token', token: credential },
      auth: 'token or key',
      target: null,
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
    return () => scene.useCases.updateGroup(scene.authority, group.id, { name: 'renamed' });
  },
  /** Syncs the groups of a token. */
  admit: async (scene) => {
    await withGroup(scene, 'ada');
    const token = scene.tokens.mint({ uid: 'ada', email: 'ada@example.com', groups: ['ada'] });
    return () =>
      scene.useCases.admit({
        credential: { kind: 'token', token },
        auth: 'token or key',
        target: null,
        sender: { address: '192.0.2.1' },
        deadline: null,
      });
  },
  sendExpiryNotices: async ({ useCases, authority, approved, collection, clock }) => {
    const [{ id }, roads] = [await approved('ada'), await collection('Roads')];
    await useCases.grantAccess(authority, clientPair(id, roads), clock.now() + 8 * day);
    await useCases.sendExpiryNotices();
    clock.advance(day);
    return () => useCases.sendExpiryNotices();
  },
  startReindex: async ({ useCases, authority, collection, runJobs }) => {
    await collection('Roads');
    await runJobs();
    return () => useCases.startReindex(authority);
  },
  checkModels: async ({ useCases, collection, ports }) => {
    await collection('Roads');
    for (const kind of ['embed', 'operations'] as const)
      for (const id of await ports.outbox.due(kind, Number.MAX_SAFE_INTEGER, 9)) await ports.outbox.done(id);
    return () => useCases.checkModels();
  },
} satisfies Partial<Record<keyof UseCases, Preparation>>;

test('every use case that writes jobs offers them immediately, and together they write all kinds of jobs', async () => {
  const kinds = new Set<JobKind>();
  for (const [name, prepare] of Object.entries<Preparation>(jobWritingUseCases)) {
    const scene = await setUp();
    const use = await prepare(scene);
    const before = new Set(await scene.waiting());
    scene.offered.clear();
    await use();
    const written = (await scene.waiting()).filter((id) => !before.has(id));
    const offered = written.flatMap((id) => scene.offered.get(id) ?? []);
    expect([name, offered.length]).toEqual([name, Math.max(1, written.length)]);
    for (const kind of offered) kinds.add(kind);
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
