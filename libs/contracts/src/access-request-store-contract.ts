import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type AccessRequest,
  type NewRequestState,
  type CatalogPage,
  type Collection,
  type CollectionId,
  type Effects,
  type ListedRequest,
  PorticoError,
  type Profile,
  type RequestChange,
  type RequestFilter,
  type RequestPage,
  type RequestState,
  type Visibility,
} from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createDeadlineExpiringAtCommit } from './deadlines.ts';
import { grantToClient, grantToGroup, toOwnAccessGrant, revokeFromClient } from './granting.ts';
import { aCollection, aDocumentContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const aGrant = { grantedAt: start, expiresAt: null, rule: null };

/** The contract of `AccessRequestStore`. */
export const accessRequestStoreContract = {
  'the decision about a new request sees the profile and the collection': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    const state = { profile: ada, hasGrant: false, hasPendingRequest: false, pendingCount: 0 };
    const headOf = ({ id, name, discoverable }: Collection) => ({ id, name, discoverable, lifecycle: 'active' });
    deepStrictEqual(await captureCreateState(stores, ada, roads), { ...state, collection: headOf(roads) });
    deepStrictEqual(await captureCreateState(stores, ada, bridges), { ...state, collection: headOf(bridges) });
  },

  'the decision about a new request sees null if the profile or the collection does not exist': async (stores) => {
    const { ada, roads } = await setUp(stores);
    strictEqual((await captureCreateState(stores, aProfile(), roads)).profile, null);
    strictEqual((await captureCreateState(stores, ada, aCollection())).collection, null);
  },

  'the decision about a new request sees a grant of the profile or of its groups until it expires': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const isGranted = async (profile: Profile, collection: Collection, now: number) =>
      (await captureCreateState(stores, profile, collection, now)).hasGrant;
    await grantToClient(stores.grants, ada.id, roads.id, () => ({
      grantedAt: start,
      expiresAt: start + 5,
      ...noEffects,
    }));
    await grantToGroup(stores, bob, bridges);
    deepStrictEqual([await isGranted(ada, roads, start + 4), await isGranted(ada, roads, start + 5)], [true, false]);
    deepStrictEqual(
      [await isGranted(bob, bridges, start), await isGranted(bob, roads, start), await isGranted(ada, bridges, start)],
      [true, false, false],
    );
  },

  'the decision about a new request sees the pending requests of the pair and of the profile, but not the decided ones':
    async (stores) => {
      const { ada, bob, roads, bridges } = await setUp(stores);
      const capturePending = async (collection: Collection) => {
        const { hasPendingRequest, pendingCount } = await captureCreateState(stores, ada, collection);
        return [hasPendingRequest, pendingCount];
      };
      const request = await addRequest(stores, ada, roads);
      await addRequest(stores, bob, bridges);
      deepStrictEqual(
        [await capturePending(roads), await capturePending(bridges)],
        [
          [true, 1],
          [false, 1],
        ],
      );
      await decideRequest(stores, request, { status: 'denied' });
      deepStrictEqual(await capturePending(roads), [false, 0]);
    },

  'every read returns a new request with the names of its profile and its collection': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads, { reason: '<b>☃</b>\n"', durationDays: 30 });
    const expected = toListedRequest(request, ada, roads);
    deepStrictEqual(await stores.requests.find(request.id), expected);
    deepStrictEqual(await listOf(stores), [expected]);
  },

  'creating a request writes its effects': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const effects = someEffects();
    await addRequest(stores, ada, roads, {}, effects);
    await assertWritten(stores, effects);
  },

  'creating a request rethrows an error from the decision and changes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await assertRejects(stores.requests.create(ada.id, roads.id, start, failDecision), 'already_approved');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'creating a request starts to commit before its deadline or writes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const expiringEffects = { ...someEffects(), deadline: createDeadlineExpiringAtCommit() };
    await assertRejects(addRequest(stores, ada, roads, {}, expiringEffects), 'timed_out');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'when requests for the same pair are created concurrently, only one decision sees no pending request': async (
    stores,
  ) => {
    const { ada, roads } = await setUp(stores);
    await assertOneSucceeds(
      () =>
        stores.requests.create(ada.id, roads.id, start, ({ hasPendingRequest }) => {
          if (hasPendingRequest) throw new PorticoError('already_requested');
          return { request: aRequest(ada, roads), ...noEffects };
        }),
      'already_requested',
    );
    strictEqual((await listOf(stores)).length, 1);
  },

  'a missing request is not found': async (stores) => {
    await setUp(stores);
    strictEqual(await stores.requests.find(nextId()), null);
  },

  'a request shows the current names of its profile and its collection': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const updatedCollection = { ...roads, name: 'Streets', discoverable: false };
    await stores.collections.update(roads.id, () => ({ collection: updatedCollection, ...noEffects }));
    deepStrictEqual(await stores.requests.find(request.id), toListedRequest(request, ada, updatedCollection));
  },

  'removing a profile or a collection removes its requests': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await addRequest(stores, ada, roads);
    await addRequest(stores, bob, roads);
    const remainingRequest = await addRequest(stores, bob, bridges);
    await stores.profiles.remove(ada.id, () => noEffects);
    strictEqual((await listOf(stores)).length, 2);
    await stores.collections.remove(roads.id, () => noEffects);
    deepStrictEqual(await idsOf(stores), [remainingRequest.id]);
  },

  'a list contains the requests that match the filter': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const adasRequest = await addRequest(stores, ada, roads);
    const bobsRequest = await addRequest(stores, bob, roads, { createdAt: start + 1 });
    const otherRequest = await addRequest(stores, bob, bridges, { createdAt: start + 2 });
    await decideRequest(stores, bobsRequest, { status: 'denied' });
    deepStrictEqual(await idsOf(stores, { profileId: bob.id }), [bobsRequest.id, otherRequest.id]);
    deepStrictEqual(await idsOf(stores, { collectionId: roads.id }), [adasRequest.id, bobsRequest.id]);
    deepStrictEqual(await idsOf(stores, { status: 'pending' }), [adasRequest.id, otherRequest.id]);
    deepStrictEqual(await idsOf(stores, { status: 'denied', profileId: bob.id, collectionId: roads.id }), [
      bobsRequest.id,
    ]);
    deepStrictEqual(await idsOf(stores, { status: 'denied', profileId: ada.id }), []);
  },

  'the pending requests are counted': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    strictEqual(await stores.requests.countPending(), 0);
    await addRequest(stores, ada, roads);
    await addRequest(stores, bob, bridges);
    await decideRequest(stores, await addRequest(stores, bob, roads), { status: 'denied' });
    strictEqual(await stores.requests.countPending(), 2);
  },

  'a list is sorted by time in either direction, and its pages are contiguous': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const last = await addRequest(stores, ada, roads, { createdAt: start + 9 });
    const [first, second] = [await addRequest(stores, ada, bridges), await addRequest(stores, bob, bridges)];
    const orderedIds = [first, second, last].map(({ id }) => id);
    for (const order of ['oldest first', 'newest first'] as const) {
      const expected = order === 'oldest first' ? orderedIds : orderedIds.toReversed();
      deepStrictEqual(await idsOf(stores, {}, { order }), expected);
      const page = await stores.requests.list(allRequests, { limit: 2, order, after: null });
      const nextPage = await stores.requests.list(allRequests, { limit: 2, order, after: page[1] ?? null });
      deepStrictEqual([page.length, [...page, ...nextPage].map(({ id }) => id)], [2, expected]);
    }
  },

  'the decision about a request sees it with its profile and grant': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const stored = { request: toListedRequest(request, ada, roads), profile: ada };
    const state = { ...stored, lifecycle: 'active', isOwned: false };
    deepStrictEqual(await captureDecideState(stores, request), { ...state, grant: null });
    const grant = { grantedAt: start, expiresAt: start + 5, rule: null };
    await grantToClient(stores.grants, ada.id, roads.id, () => ({ ...grant, ...noEffects }));
    deepStrictEqual(await captureDecideState(stores, request), { ...state, grant });
  },

  'a missing request cannot be decided': async (stores) => {
    await setUp(stores);
    await assertRejects(
      stores.requests.decide(nextId(), ({ request }) => ({ request, ...noEffects })),
      'request_not_found',
    );
  },

  'a decision changes only the status, the time of the decision and the answer': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const [request, otherRequest] = [await addRequest(stores, ada, roads), await addRequest(stores, bob, roads)];
    const decision = { status: 'denied', decidedAt: start + 7, answer: 'Use the other' } as const;
    await decideRequest(stores, request, {
      ...decision,
      reason: 'Else',
      createdAt: start + 99,
      collectionName: 'Else',
    });
    deepStrictEqual(await stores.requests.find(request.id), toListedRequest({ ...request, ...decision }, ada, roads));
    deepStrictEqual(await stores.requests.find(otherRequest.id), toListedRequest(otherRequest, bob, roads));
    strictEqual(await isGranted(stores, ada, roads), false);
  },

  'the grant of a decision applies only to its pair, and every read sees it': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const grant = { grantedAt: start + 3, expiresAt: start + 9, rule: null };
    await decideRequest(stores, request, { status: 'approved' }, { grant });
    deepStrictEqual(await stores.grants.listClients(roads.id, start + 8), [
      { profile: ada, grants: [{ ...toOwnAccessGrant(start + 3), expiresAt: start + 9 }] },
    ]);
    const accessFlags = [await isGranted(stores, ada, roads), await isGranted(stores, ada, bridges)];
    deepStrictEqual([...accessFlags, await isGranted(stores, bob, roads)], [true, false, false]);
  },

  'the grant of a decision replaces an expired one': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await grantToClient(stores.grants, ada.id, roads.id, () => ({ grantedAt: 1, expiresAt: 2, ...noEffects }));
    const request = await addRequest(stores, ada, roads);
    await decideRequest(stores, request, { status: 'approved' }, { grant: aGrant });
    deepStrictEqual(await stores.grants.listClients(roads.id, start), [
      { profile: ada, grants: [toOwnAccessGrant(start)] },
    ]);
  },

  'the grant of a decision increases the grants epoch of the profile': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const before = (await rowOf(stores, ada)).epochs.grants;
    await decideRequest(stores, request, { status: 'approved' }, { grant: aGrant });
    strictEqual((await rowOf(stores, ada)).epochs.grants > before, true);
  },

  'a decision writes its effects': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const effects = someEffects();
    await decideRequest(stores, request, { status: 'denied' }, effects);
    await assertWritten(stores, effects);
  },

  'a decision that throws changes nothing, and its error is rethrown': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    await assertRejects(stores.requests.decide(request.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.requests.find(request.id), toListedRequest(request, ada, roads));
    await assertWritten(stores);
  },

  'a decision starts to commit before its deadline or writes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const expiringEffects = {
      ...someEffects(),
      deadline: createDeadlineExpiringAtCommit(),
      grant: aGrant,
    };
    await assertRejects(decideRequest(stores, request, { status: 'approved' }, expiringEffects), 'timed_out');
    deepStrictEqual(await stores.requests.find(request.id), toListedRequest(request, ada, roads));
    strictEqual(await isGranted(stores, ada, roads), false);
    await assertWritten(stores);
  },

  'when the same request is decided concurrently, only one decision sees it as pending': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    await assertOneSucceeds(
      (index) =>
        stores.requests.decide(request.id, ({ request: current }) => {
          if (current.status !== 'pending') throw new PorticoError('request_decided');
          const grant = { grantedAt: start + index, expiresAt: null, rule: null };
          return { request: { ...current, status: 'approved', decidedAt: start + index }, grant, ...noEffects };
        }),
      'request_decided',
    );
    const decidedAt = (await stores.requests.find(request.id))?.decidedAt ?? -1;
    deepStrictEqual(await stores.grants.listClients(roads.id, start), [
      { profile: ada, grants: [toOwnAccessGrant(decidedAt)] },
    ]);
  },

  "the catalog contains the discoverable collections and those visible to the reader, and shows the reader's access to each":
    async (stores) => {
      const { ada, bob, roads, bridges, tunnels } = await setUp(stores);
      const lineOf = ({ id, name, description }: Collection, access: string) => ({ id, name, description, access });
      deepStrictEqual(await catalogOf(stores, to(ada)), [lineOf(roads, 'none'), lineOf(tunnels, 'none')]);
      await grantToClient(stores.grants, ada.id, bridges.id, () => ({
        grantedAt: start,
        expiresAt: start + 5,
        ...noEffects,
      }));
      await addRequest(stores, ada, roads);
      await grantToGroup(stores, ada, tunnels);
      const expectedCatalog = [lineOf(bridges, 'granted'), lineOf(roads, 'requested'), lineOf(tunnels, 'granted')];
      deepStrictEqual(await catalogOf(stores, to(ada)), expectedCatalog);
      deepStrictEqual(await catalogOf(stores, to(ada, start + 5)), expectedCatalog.slice(1));
      deepStrictEqual(await catalogOf(stores, to(bob)), [lineOf(roads, 'none'), lineOf(tunnels, 'none')]);
      deepStrictEqual(await catalogOf(stores, { scope: 'none' }), [lineOf(roads, 'none'), lineOf(tunnels, 'none')]);
      deepStrictEqual(
        await catalogOf(stores, { scope: 'all' }),
        [bridges, roads, tunnels].map((collection) => lineOf(collection, 'granted')),
      );
    },

  'the catalog shows neither decided requests nor hidden collections with a pending request': async (stores) => {
    const { ada, roads, bridges, tunnels } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    await addRequest(stores, ada, bridges);
    await decideRequest(stores, request, { status: 'withdrawn' });
    deepStrictEqual(
      (await catalogOf(stores, to(ada))).map(({ id, access }) => [id, access]),
      [roads, tunnels].map(({ id }) => [id, 'none']),
    );
  },

  'a hidden collection whose grant was revoked is not in the catalog': async (stores) => {
    const { ada, bridges } = await setUp(stores);
    await grantToClient(stores.grants, ada.id, bridges.id, () => ({ grantedAt: start, ...noEffects }));
    strictEqual((await catalogOf(stores, to(ada)))[0]?.id, bridges.id);
    await revokeFromClient(stores.grants, ada.id, bridges.id, () => noEffects);
    strictEqual(
      (await catalogOf(stores, to(ada))).some(({ id }) => id === bridges.id),
      false,
    );
  },

  'the pages of the catalog are contiguous and sorted like lists of collections': async (stores) => {
    const { ada, roads, tunnels } = await setUp(stores);
    const addedCollections = ['äb', '😀', 'Z', 'roads'].map((name) => aCollection({ name, discoverable: true }));
    for (const collection of addedCollections) await stores.collections.add(collection, aDocumentContent(), noEffects);
    const visibility = { scope: 'all' } as const;
    const orderedCollections = (await stores.collections.list(visibility, null)).filter(({ id }) =>
      [...addedCollections, roads, tunnels].some((collection) => collection.id === id),
    );
    const pages = [];
    for (let after = null, page; (page = await catalogOf(stores, to(ada), { limit: 2, after })).length > 0;) {
      pages.push(page);
      const last = orderedCollections.find(({ id }) => id === page.at(-1)?.id);
      after = last ? { nameKey: last.name.normalize('NFC').toLowerCase(), id: last.id } : null;
    }
    deepStrictEqual(
      pages.map((page) => page.length),
      [2, 2, 2],
    );
    deepStrictEqual(
      pages.flat().map(({ id }) => id),
      orderedCollections.map(({ id }) => id),
    );
  },

  'the catalog can be searched for part of a name or description, ignoring the case of ASCII letters': async (
    stores,
  ) => {
    const { ada, roads, tunnels } = await setUp(stores);
    const oddCollection = aCollection({ name: '100% _Ä_!', description: 'ROADS', discoverable: true });
    await stores.collections.add(oddCollection, aDocumentContent(), noEffects);
    const findIdsContaining = async (containing: string) =>
      (await catalogOf(stores, to(ada), { containing })).map(({ id }) => id).sort();
    deepStrictEqual(await findIdsContaining('rOAd'), [oddCollection.id, roads.id].sort());
    deepStrictEqual(await findIdsContaining('below'), [tunnels.id]);
    deepStrictEqual(
      [await findIdsContaining('%'), await findIdsContaining('_Ä'), await findIdsContaining('!')],
      [[oddCollection.id], [oddCollection.id], [oddCollection.id]],
    );
    deepStrictEqual([await findIdsContaining('_ä'), await findIdsContaining('bridge')], [[], []]);
  },

  'only the discoverable collections among the given ones are returned': async ({ requests, ...stores }) => {
    const { roads, bridges, tunnels } = await setUp({ requests, ...stores });
    deepStrictEqual(await requests.findDiscoverable([roads.id, bridges.id, nextId()]), new Set([roads.id]));
    deepStrictEqual(await requests.findDiscoverable([]), new Set());
    strictEqual((await requests.findDiscoverable([tunnels.id])).size, 1);
  },
} satisfies Contract<Stores>;

const allRequests: RequestFilter = { status: null, profileId: null, collectionId: null };

/** Adds two profiles, two discoverable collections and a hidden one (`bridges`). Returns them in the order of lists. */
const setUp = async ({ profiles, collections }: Stores) => {
  const [ada, bob] = [aProfile(), aProfile()];
  const bridges = aCollection({ name: 'Bridges', description: 'Over rivers' });
  const roads = aCollection({ name: 'Roads', description: 'Everywhere', discoverable: true });
  const tunnels = aCollection({ name: 'tunnels', description: 'Below them', discoverable: true });
  for (const profile of [ada, bob]) await profiles.add(profile, noEffects);
  for (const collection of [tunnels, bridges, roads]) await collections.add(collection, aDocumentContent(), noEffects);
  return { ada, bob, bridges, roads, tunnels };
};

const aRequest = (profile: Profile, collection: Collection, fields: Partial<AccessRequest> = {}): AccessRequest => ({
  id: nextId(),
  profileId: profile.id,
  collectionId: collection.id,
  reason: 'For the bridge',
  durationDays: null,
  status: 'pending',
  createdAt: start,
  decidedAt: null,
  answer: null,
  ...fields,
});

const addRequest = async (
  { requests }: Stores,
  profile: Profile,
  collection: Collection,
  fields: Partial<AccessRequest> = {},
  effects: Effects = noEffects,
): Promise<AccessRequest> => {
  const request = aRequest(profile, collection, fields);
  await requests.create(profile.id, collection.id, start, () => ({ request, ...effects }));
  return request;
};

const decideRequest = (
  { requests }: Stores,
  { id }: AccessRequest,
  fields: Partial<ListedRequest>,
  change: Partial<Omit<RequestChange, 'request'>> = {},
) => requests.decide(id, ({ request }) => ({ request: { ...request, ...fields }, ...noEffects, ...change }));

const toListedRequest = (request: AccessRequest, { email, fullName }: Profile, { name, discoverable }: Collection) => ({
  ...request,
  email,
  fullName,
  collectionName: name,
  discoverable,
});

const listOf = ({ requests }: Stores, filter: Partial<RequestFilter> = {}, page: Partial<RequestPage> = {}) =>
  requests.list({ ...allRequests, ...filter }, { limit: 99, order: 'oldest first', after: null, ...page });

const idsOf = async (stores: Stores, filter: Partial<RequestFilter> = {}, page: Partial<RequestPage> = {}) =>
  (await listOf(stores, filter, page)).map(({ id }) => id);

const captureCreateState = async (
  { requests }: Stores,
  { id }: Profile,
  collection: Collection,
  now = start,
): Promise<NewRequestState> => {
  let capturedState: NewRequestState | null = null;
  const attempt = requests.create(id, collection.id, now, (state) => {
    capturedState = state;
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  if (!capturedState) throw new Error('decide was not called.');
  return capturedState;
};

const captureDecideState = async ({ requests }: Stores, { id }: AccessRequest): Promise<RequestState | null> => {
  let capturedState: RequestState | null = null;
  const attempt = requests.decide(id, (state) => {
    capturedState = state;
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  return capturedState;
};

const isGranted = async ({ callers }: Stores, { uid }: Profile, { id }: { readonly id: CollectionId }) =>
  (await callers.findByUid(uid, { id, detail: 'head' }, start))?.hasGrant;

const to = ({ id }: Profile, at = start): Visibility => ({ scope: 'granted', profileId: id, now: at });

const catalogOf = ({ requests }: Stores, reader: Visibility, page: Partial<CatalogPage> = {}) =>
  requests.listCatalog(reader, { containing: null, limit: 99, after: null, ...page });
