import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type AccessRequest,
  type NewRequestState,
  type CatalogPage,
  type Collection,
  type CollectionId,
  type Effects,
  groupPair,
  type Group,
  type GroupId,
  type ListedRequest,
  PorticoError,
  type Profile,
  type RequestChange,
  type RequestFilter,
  type RequestPage,
  type RequestState,
  type Visibility,
} from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { expiringAtCommit } from './deadlines.ts';
import { grantToClient, ownWay, revokeFromClient } from './granting.ts';
import { aCollection, aContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `AccessRequestStore`. */
export const accessRequestStoreContract = {
  'the decision about a new request sees the profile and the collection': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    const state = { profile: ada, granted: false, requested: false, pending: 0 };
    const headOf = ({ id, name, discoverable }: Collection) => ({ id, name, discoverable });
    deepStrictEqual(await seenByAsking(stores, ada, roads), { ...state, collection: headOf(roads) });
    deepStrictEqual(await seenByAsking(stores, ada, bridges), { ...state, collection: headOf(bridges) });
  },

  'the decision about a new request sees null for a missing profile or collection': async (stores) => {
    const { ada, roads } = await setUp(stores);
    strictEqual((await seenByAsking(stores, aProfile(), roads)).profile, null);
    strictEqual((await seenByAsking(stores, ada, aCollection())).collection, null);
  },

  'the decision about a new request sees a grant of the profile or of its groups until it expires': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const isGranted = async (profile: Profile, collection: Collection, now: number) =>
      (await seenByAsking(stores, profile, collection, now)).granted;
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

  'the decision about a new request sees the pending requests of the pair and of the profile, but no decided ones':
    async (stores) => {
      const { ada, bob, roads, bridges } = await setUp(stores);
      const seen = async (collection: Collection) => {
        const { requested, pending } = await seenByAsking(stores, ada, collection);
        return [requested, pending];
      };
      const request = await addRequest(stores, ada, roads);
      await addRequest(stores, bob, bridges);
      deepStrictEqual(
        [await seen(roads), await seen(bridges)],
        [
          [true, 1],
          [false, 1],
        ],
      );
      await decideRequest(stores, request, { status: 'denied' });
      deepStrictEqual(await seen(roads), [false, 0]);
    },

  'a new request is returned by every read, with the names of its profile and its collection': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads, { reason: '<b>☃</b>\n"', durationDays: 30 });
    const expected = listedRequest(request, ada, roads);
    deepStrictEqual(await stores.requests.find(request.id), expected);
    deepStrictEqual(await listOf(stores), [expected]);
  },

  'a new request writes its effects': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const effects = someEffects();
    await addRequest(stores, ada, roads, {}, effects);
    await assertWritten(stores, effects);
  },

  'a new request rethrows an error from the decision and changes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await assertRejects(stores.requests.create(ada.id, roads.id, start, failDecision), 'already_approved');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'a new request begins its commit in time or not at all': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const late = { ...someEffects(), deadline: expiringAtCommit() };
    await assertRejects(addRequest(stores, ada, roads, {}, late), 'timed_out');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'of concurrent calls for one pair, exactly one sees no pending request': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await assertOneWins(
      () =>
        stores.requests.create(ada.id, roads.id, start, ({ requested }) => {
          if (requested) throw new PorticoError('already_requested');
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

  'a request has the current names of its profile and its collection': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const changed = { ...roads, name: 'Streets', discoverable: false };
    await stores.collections.update(roads.id, () => ({ collection: changed, ...noEffects }));
    deepStrictEqual(await stores.requests.find(request.id), listedRequest(request, ada, changed));
  },

  'a request is removed with its profile, and with its collection': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await addRequest(stores, ada, roads);
    await addRequest(stores, bob, roads);
    const remaining = await addRequest(stores, bob, bridges);
    await stores.profiles.remove(ada.id, () => noEffects);
    strictEqual((await listOf(stores)).length, 2);
    await stores.collections.remove(roads.id, () => noEffects);
    deepStrictEqual(await idsOf(stores), [remaining.id]);
  },

  'a list has the requests that match the filter': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const adasRequest = await addRequest(stores, ada, roads);
    const bobsRequest = await addRequest(stores, bob, roads, { createdAt: start + 1 });
    const other = await addRequest(stores, bob, bridges, { createdAt: start + 2 });
    await decideRequest(stores, bobsRequest, { status: 'denied' });
    deepStrictEqual(await idsOf(stores, { profileId: bob.id }), [bobsRequest.id, other.id]);
    deepStrictEqual(await idsOf(stores, { collectionId: roads.id }), [adasRequest.id, bobsRequest.id]);
    deepStrictEqual(await idsOf(stores, { status: 'pending' }), [adasRequest.id, other.id]);
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
    const [first, tied] = [await addRequest(stores, ada, bridges), await addRequest(stores, bob, bridges)];
    const inOrder = [first, tied, last].map(({ id }) => id);
    for (const order of ['oldest first', 'newest first'] as const) {
      const expected = order === 'oldest first' ? inOrder : inOrder.toReversed();
      deepStrictEqual(await idsOf(stores, {}, { order }), expected);
      const page = await stores.requests.list(allRequests, { limit: 2, order, after: null });
      const rest = await stores.requests.list(allRequests, { limit: 2, order, after: page[1] ?? null });
      deepStrictEqual([page.length, [...page, ...rest].map(({ id }) => id)], [2, expected]);
    }
  },

  'the decision about a request sees it with its profile and grant': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const state = { request: listedRequest(request, ada, roads), profile: ada };
    deepStrictEqual(await seenByDeciding(stores, request), { ...state, grant: null });
    const grant = { grantedAt: start, expiresAt: start + 5 };
    await grantToClient(stores.grants, ada.id, roads.id, () => ({ ...grant, ...noEffects }));
    deepStrictEqual(await seenByDeciding(stores, request), { ...state, grant });
  },

  'a missing request cannot be decided': async (stores) => {
    await setUp(stores);
    await assertRejects(
      stores.requests.decide(nextId(), ({ request }) => ({ request, ...noEffects })),
      'request_not_found',
    );
  },

  'a decision changes the status, its time and the answer, and nothing else': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const [request, other] = [await addRequest(stores, ada, roads), await addRequest(stores, bob, roads)];
    const decision = { status: 'denied', decidedAt: start + 7, answer: 'Use the other' } as const;
    await decideRequest(stores, request, {
      ...decision,
      reason: 'Else',
      createdAt: start + 99,
      collectionName: 'Else',
    });
    deepStrictEqual(await stores.requests.find(request.id), listedRequest({ ...request, ...decision }, ada, roads));
    deepStrictEqual(await stores.requests.find(other.id), listedRequest(other, bob, roads));
    strictEqual(await isGranted(stores, ada, roads), false);
  },

  'the grant of a decision applies to its pair only, and every read sees it': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const grant = { grantedAt: start + 3, expiresAt: start + 9 };
    await decideRequest(stores, request, { status: 'approved' }, { grant });
    deepStrictEqual(await stores.grants.clientsOf(roads.id, start + 8), [
      { profile: ada, ways: [{ ...ownWay(start + 3), expiresAt: start + 9 }] },
    ]);
    const seen = [await isGranted(stores, ada, roads), await isGranted(stores, ada, bridges)];
    deepStrictEqual([...seen, await isGranted(stores, bob, roads)], [true, false, false]);
  },

  'the grant of a decision replaces an expired one': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await grantToClient(stores.grants, ada.id, roads.id, () => ({ grantedAt: 1, expiresAt: 2, ...noEffects }));
    const request = await addRequest(stores, ada, roads);
    await decideRequest(stores, request, { status: 'approved' }, { grant: { grantedAt: start, expiresAt: null } });
    deepStrictEqual(await stores.grants.clientsOf(roads.id, start), [{ profile: ada, ways: [ownWay(start)] }]);
  },

  'the grant of a decision increases the grants epoch of the profile': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const before = (await rowOf(stores, ada)).epochs.grants;
    await decideRequest(stores, request, { status: 'approved' }, { grant: { grantedAt: start, expiresAt: null } });
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
    deepStrictEqual(await stores.requests.find(request.id), listedRequest(request, ada, roads));
    await assertWritten(stores);
  },

  'a decision begins its commit in time or not at all': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    const late = { ...someEffects(), deadline: expiringAtCommit(), grant: { grantedAt: start, expiresAt: null } };
    await assertRejects(decideRequest(stores, request, { status: 'approved' }, late), 'timed_out');
    deepStrictEqual(await stores.requests.find(request.id), listedRequest(request, ada, roads));
    strictEqual(await isGranted(stores, ada, roads), false);
    await assertWritten(stores);
  },

  'of concurrent decisions exactly one sees the request pending': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    await assertOneWins(
      (index) =>
        stores.requests.decide(request.id, ({ request: current }) => {
          if (current.status !== 'pending') throw new PorticoError('request_decided');
          const grant = { grantedAt: start + index, expiresAt: null };
          return { request: { ...current, status: 'approved', decidedAt: start + index }, grant, ...noEffects };
        }),
      'request_decided',
    );
    const decidedAt = (await stores.requests.find(request.id))?.decidedAt ?? -1;
    deepStrictEqual(await stores.grants.clientsOf(roads.id, start), [{ profile: ada, ways: [ownWay(decidedAt)] }]);
  },

  'the catalog has the discoverable collections and those visible to the reader, with the access to each': async (
    stores,
  ) => {
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
    const all = [lineOf(bridges, 'granted'), lineOf(roads, 'requested'), lineOf(tunnels, 'granted')];
    deepStrictEqual(await catalogOf(stores, to(ada)), all);
    deepStrictEqual(await catalogOf(stores, to(ada, start + 5)), all.slice(1));
    deepStrictEqual(await catalogOf(stores, to(bob)), [lineOf(roads, 'none'), lineOf(tunnels, 'none')]);
    deepStrictEqual(await catalogOf(stores, { of: 'nothing' }), [lineOf(roads, 'none'), lineOf(tunnels, 'none')]);
    deepStrictEqual(
      await catalogOf(stores, { of: 'all' }),
      [bridges, roads, tunnels].map((collection) => lineOf(collection, 'granted')),
    );
  },

  'the catalog shows no decided requests, and no hidden collections with a pending request': async (stores) => {
    const { ada, roads, bridges, tunnels } = await setUp(stores);
    const request = await addRequest(stores, ada, roads);
    await addRequest(stores, ada, bridges);
    await decideRequest(stores, request, { status: 'withdrawn' });
    deepStrictEqual(
      (await catalogOf(stores, to(ada))).map(({ id, access }) => [id, access]),
      [roads, tunnels].map(({ id }) => [id, 'none']),
    );
  },

  'a collection whose grant was revoked leaves the catalog': async (stores) => {
    const { ada, bridges } = await setUp(stores);
    await grantToClient(stores.grants, ada.id, bridges.id, () => ({ grantedAt: start, ...noEffects }));
    strictEqual((await catalogOf(stores, to(ada)))[0]?.id, bridges.id);
    await revokeFromClient(stores.grants, ada.id, bridges.id, () => noEffects);
    strictEqual(
      (await catalogOf(stores, to(ada))).some(({ id }) => id === bridges.id),
      false,
    );
  },

  'the pages of the catalog are contiguous and sorted like lists': async (stores) => {
    const { ada, roads, tunnels } = await setUp(stores);
    const more = ['äb', '😀', 'Z', 'roads'].map((name) => aCollection({ name, discoverable: true }));
    for (const collection of more) await stores.collections.add(collection, aContent(), noEffects);
    const visibility = { of: 'all' } as const;
    const inOrder = (await stores.collections.list(visibility, null)).filter(({ id }) =>
      [...more, roads, tunnels].some((one) => one.id === id),
    );
    const pages = [];
    for (let after = null, page; (page = await catalogOf(stores, to(ada), { limit: 2, after })).length > 0;) {
      pages.push(page);
      const last = inOrder.find(({ id }) => id === page.at(-1)?.id);
      after = last ? { nameKey: last.name.normalize('NFC').toLowerCase(), id: last.id } : null;
    }
    deepStrictEqual(
      pages.map((page) => page.length),
      [2, 2, 2],
    );
    deepStrictEqual(
      pages.flat().map(({ id }) => id),
      inOrder.map(({ id }) => id),
    );
  },

  'the catalog can be searched for a part of a name or description, ignoring the case of ASCII letters': async (
    stores,
  ) => {
    const { ada, roads, tunnels } = await setUp(stores);
    const odd = aCollection({ name: '100% _Ä_!', description: 'ROADS', discoverable: true });
    await stores.collections.add(odd, aContent(), noEffects);
    const idsContaining = async (containing: string) =>
      (await catalogOf(stores, to(ada), { containing })).map(({ id }) => id).sort();
    deepStrictEqual(await idsContaining('rOAd'), [odd.id, roads.id].sort());
    deepStrictEqual(await idsContaining('below'), [tunnels.id]);
    deepStrictEqual(
      [await idsContaining('%'), await idsContaining('_Ä'), await idsContaining('!')],
      [[odd.id], [odd.id], [odd.id]],
    );
    deepStrictEqual([await idsContaining('_ä'), await idsContaining('bridge')], [[], []]);
  },

  'of the given collections, the discoverable ones are returned': async ({ requests, ...stores }) => {
    const { roads, bridges, tunnels } = await setUp({ requests, ...stores });
    deepStrictEqual(await requests.discoverable([roads.id, bridges.id, nextId()]), new Set([roads.id]));
    deepStrictEqual(await requests.discoverable([]), new Set());
    strictEqual((await requests.discoverable([tunnels.id])).size, 1);
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
  for (const collection of [tunnels, bridges, roads]) await collections.add(collection, aContent(), noEffects);
  return { ada, bob, bridges, roads, tunnels };
};

const aRequest = (profile: Profile, collection: Collection, facts: Partial<AccessRequest> = {}): AccessRequest => ({
  id: nextId(),
  profileId: profile.id,
  collectionId: collection.id,
  reason: 'For the bridge',
  durationDays: null,
  status: 'pending',
  createdAt: start,
  decidedAt: null,
  answer: null,
  ...facts,
});

const addRequest = async (
  { requests }: Stores,
  profile: Profile,
  collection: Collection,
  facts: Partial<AccessRequest> = {},
  effects: Effects = noEffects,
): Promise<AccessRequest> => {
  const request = aRequest(profile, collection, facts);
  await requests.create(profile.id, collection.id, start, () => ({ request, ...effects }));
  return request;
};

const decideRequest = (
  { requests }: Stores,
  { id }: AccessRequest,
  facts: Partial<ListedRequest>,
  change: Partial<Omit<RequestChange, 'request'>> = {},
) => requests.decide(id, ({ request }) => ({ request: { ...request, ...facts }, ...noEffects, ...change }));

const listedRequest = (request: AccessRequest, { email, fullName }: Profile, { name, discoverable }: Collection) => ({
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

const seenByAsking = async (
  { requests }: Stores,
  { id }: Profile,
  collection: Collection,
  now = start,
): Promise<NewRequestState> => {
  let seen: NewRequestState | null = null;
  const attempt = requests.create(id, collection.id, now, (state) => {
    seen = state;
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  if (!seen) throw new Error('decide was not called.');
  return seen;
};

const seenByDeciding = async ({ requests }: Stores, { id }: AccessRequest): Promise<RequestState | null> => {
  let seen: RequestState | null = null;
  const attempt = requests.decide(id, (state) => {
    seen = state;
    return failDecision();
  });
  await assertRejects(attempt, 'already_approved');
  return seen;
};

const isGranted = async ({ callers }: Stores, { uid }: Profile, { id }: { readonly id: CollectionId }) =>
  (await callers.byUid(uid, { id, part: 'head' }, start))?.granted;

/** Adds a group that has access to the collection, with the profile as its only member. */
const grantToGroup = async ({ groups, grants }: Stores, { id }: Profile, collection: Collection): Promise<void> => {
  const groupId: GroupId = nextId();
  const group: Group = { id: groupId, name: groupId, description: '', tier: null, createdAt: start, updatedAt: start };
  await groups.add(group, noEffects);
  await groups.updateMembers(groupId, [id], start, () => ({ add: [{ id, addedAt: start }], ...noEffects }));
  const pair = groupPair(groupId, collection.id);
  await grants.update([pair], () => ({ put: [{ ...pair, grantedAt: start, expiresAt: null }], ...noEffects }));
};

const to = ({ id }: Profile, at = start): Visibility => ({ of: 'granted', to: id, at });

const catalogOf = ({ requests }: Stores, reader: Visibility, page: Partial<CatalogPage> = {}) =>
  requests.catalog(reader, { containing: null, limit: 99, after: null, ...page });
