import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type CallChange,
  type CallFilter,
  type CallPage,
  type CallState,
  type Collection,
  type Effects,
  type NewCallState,
  PorticoError,
  type Profile,
  type SealedCall,
} from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createDeadlineExpiringAtCommit } from './deadlines.ts';
import { grantToClient, grantToGroup } from './granting.ts';
import { aCall, aCollection, aDocumentContent, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `PendingCallStore`. */
export const pendingCallStoreContract = {
  'the decision about a new call sees the caller and the name of the collection, or null if they do not exist': async (
    stores,
  ) => {
    const { ada, roads } = await setUp(stores);
    deepStrictEqual(await captureNewState(stores, ada, roads), {
      profile: ada,
      collectionName: roads.name,
      waitingCalls: [],
    });
    strictEqual((await captureNewState(stores, aProfile(), roads)).profile, null);
    strictEqual((await captureNewState(stores, ada, aCollection())).collectionName, null);
  },

  'the decision about a new call sees the calls of the caller that wait and have not expired, oldest first': async (
    stores,
  ) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const second = await addCall(stores, ada, bridges, { requestedAt: start + 2, expiresAt: start + 20 });
    const first = await addCall(stores, ada, roads, { requestedAt: start + 1, expiresAt: start + 30 });
    await addCall(stores, ada, roads, { status: 'approved' });
    await addCall(stores, bob, roads);
    const waitingAt = async (now: number) => (await captureNewState(stores, ada, roads, now)).waitingCalls;
    deepStrictEqual(await waitingAt(start + 19), [first, second]);
    deepStrictEqual(await waitingAt(start + 20), [first]);
  },

  'every read returns a new call with the names of its caller and its collection, and only a list omits the arguments':
    async (stores) => {
      const { ada, roads } = await setUp(stores);
      const call = await addCall(stores, ada, roads, { path: '/<b>☃</b>/{größe}', reason: 'No "use"\n' });
      deepStrictEqual(await stores.calls.find(call.id), toStoredCall(call, ada, roads));
      deepStrictEqual(await listOf(stores), [toListedCall(call, ada, roads)]);
    },

  'creating a call writes its effects': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const effects = someEffects();
    await addCall(stores, ada, roads, {}, effects);
    await assertWritten(stores, effects);
  },

  'creating a call rethrows an error from the decision and changes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await assertRejects(stores.calls.create(ada.id, roads.id, start, failDecision), 'already_approved');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'a decision about a new call that returns null writes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.calls.create(ada.id, roads.id, start, () => null);
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'creating a call starts to commit before its deadline or writes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const expiringEffects = { ...someEffects(), deadline: createDeadlineExpiringAtCommit() };
    await assertRejects(addCall(stores, ada, roads, {}, expiringEffects), 'timed_out');
    deepStrictEqual(await listOf(stores), []);
    await assertWritten(stores);
  },

  'when calls of the same caller are created concurrently, each decision sees those added before it': async (
    stores,
  ) => {
    const { ada, roads } = await setUp(stores);
    await assertOneSucceeds(
      () =>
        stores.calls.create(ada.id, roads.id, start, ({ waitingCalls }) => {
          if (waitingCalls.length > 0) throw new PorticoError('too_many_pending');
          return { call: aCall(ada, roads), ...noEffects };
        }),
      'too_many_pending',
    );
    strictEqual((await listOf(stores)).length, 1);
  },

  'a missing call is not found': async (stores) => {
    await setUp(stores);
    strictEqual(await stores.calls.find(nextId()), null);
  },

  'removing a profile or a collection removes its calls, but a call outlives the profile that decided it': async (
    stores,
  ) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await addCall(stores, ada, roads);
    await addCall(stores, bob, roads);
    const remainingCall = await addCall(stores, bob, bridges, { decidedBy: ada.id });
    await stores.profiles.remove(ada.id, () => noEffects);
    strictEqual((await listOf(stores)).length, 2);
    await stores.collections.remove(roads.id, () => noEffects);
    deepStrictEqual(await listOf(stores), [toListedCall(remainingCall, bob, bridges)]);
  },

  'the calls that wait at an instant are counted': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await addCall(stores, ada, roads, { expiresAt: start + 5 });
    await addCall(stores, bob, roads, { expiresAt: start + 9 });
    await addCall(stores, bob, roads, { status: 'approved' });
    deepStrictEqual([await stores.calls.countWaiting(start + 4), await stores.calls.countWaiting(start + 5)], [2, 1]);
  },

  'a list contains the calls that match the filter': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const adasCall = await addCall(stores, ada, roads);
    const bobsCall = await addCall(stores, bob, roads, { status: 'denied', requestedAt: start + 1 });
    const otherCall = await addCall(stores, bob, bridges, { requestedAt: start + 2 });
    deepStrictEqual(await idsOf(stores, { profileId: bob.id }), [bobsCall.id, otherCall.id]);
    deepStrictEqual(await idsOf(stores, { collectionId: roads.id }), [adasCall.id, bobsCall.id]);
    deepStrictEqual(await idsOf(stores, { status: 'waiting' }), [adasCall.id, otherCall.id]);
    deepStrictEqual(await idsOf(stores, { status: 'waiting', profileId: bob.id, collectionId: roads.id }), []);
  },

  'a list filters by the status at an instant, at which waiting and approved calls may have expired': async (
    stores,
  ) => {
    const { ada, roads } = await setUp(stores);
    const ids: Record<string, string> = {};
    for (const [index, status] of (['waiting', 'approved', 'denied', 'expired', 'done'] as const).entries())
      ids[status] = (
        await addCall(stores, ada, roads, { status, requestedAt: start + index, expiresAt: start + 9 })
      ).id;
    for (const status of ['waiting', 'approved', 'denied', 'expired', 'done'] as const)
      deepStrictEqual(await idsOf(stores, { status }, {}, start + 8), [ids[status]]);
    deepStrictEqual(await idsOf(stores, { status: 'expired' }, {}, start + 9), [
      ids['waiting'],
      ids['approved'],
      ids['expired'],
    ]);
    deepStrictEqual(await idsOf(stores, { status: 'waiting' }, {}, start + 9), []);
    deepStrictEqual(await idsOf(stores, { status: 'approved' }, {}, start + 9), []);
    deepStrictEqual(await idsOf(stores, { status: 'done' }, {}, start + 9), [ids['done']]);
  },

  'a list is sorted by time in either direction, and its pages are contiguous': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const last = await addCall(stores, ada, roads, { requestedAt: start + 9 });
    const [first, second] = [await addCall(stores, ada, bridges), await addCall(stores, bob, bridges)];
    const orderedIds = [first, second, last].map(({ id }) => id);
    for (const [order, expectedIds] of [
      ['oldest first', orderedIds],
      ['newest first', orderedIds.toReversed()],
    ] as const) {
      const pages = [];
      let after: CallPage['after'] = null;
      for (let page; (page = await listOf(stores, {}, { order, after, limit: 2 })).length > 0;) {
        pages.push(page.map(({ id }) => id));
        after = page.at(-1) ?? null;
      }
      deepStrictEqual(pages, [expectedIds.slice(0, 2), expectedIds.slice(2)]);
    }
  },

  'the decision about a call sees it with its arguments and its caller': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const call = await addCall(stores, ada, roads);
    deepStrictEqual(await captureState(stores, call), {
      call: toStoredCall(call, ada, roads),
      profile: ada,
      hasGrant: false,
    });
  },

  'the decision about a call sees a grant of the caller or of its groups until it expires': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const grant = () => ({ grantedAt: start, expiresAt: start + 5, ...noEffects });
    await grantToClient(stores.grants, ada.id, roads.id, grant);
    await grantToGroup(stores, bob, bridges);
    const hasGrant = async (profile: Profile, collection: Collection, now: number) =>
      (await captureState(stores, await addCall(stores, profile, collection), now)).hasGrant;
    deepStrictEqual([await hasGrant(ada, roads, start + 4), await hasGrant(ada, roads, start + 5)], [true, false]);
    deepStrictEqual(
      [await hasGrant(bob, bridges, start), await hasGrant(bob, roads, start), await hasGrant(ada, bridges, start)],
      [true, false, false],
    );
  },

  'a missing call cannot be decided': async (stores) => {
    await setUp(stores);
    await assertRejects(stores.calls.decide(nextId(), start, toChange({})), 'call_not_found');
  },

  'a decision changes only the status, the expiry, the decision and the arguments': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const [call, otherCall] = [await addCall(stores, ada, roads), await addCall(stores, bob, roads)];
    const decision: Partial<SealedCall> = {
      status: 'denied',
      expiresAt: start + 70,
      ...{ decidedAt: start + 7, decidedBy: bob.id, reason: 'No', sealed: null },
    };
    await decideCall(stores, call, { ...decision, method: 'PUT', path: '/else', requestedAt: start + 99 });
    deepStrictEqual(await stores.calls.find(call.id), toStoredCall({ ...call, ...decision }, ada, roads));
    deepStrictEqual(await stores.calls.find(otherCall.id), toStoredCall(otherCall, bob, roads));
  },

  'a decision writes its effects': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const effects = someEffects();
    await decideCall(stores, await addCall(stores, ada, roads), { status: 'denied' }, effects);
    await assertWritten(stores, effects);
  },

  'a decision that returns null or throws changes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const call = await addCall(stores, ada, roads);
    await stores.calls.decide(call.id, start, () => null);
    await assertRejects(stores.calls.decide(call.id, start, failDecision), 'already_approved');
    deepStrictEqual(await stores.calls.find(call.id), toStoredCall(call, ada, roads));
    await assertWritten(stores);
  },

  'a decision starts to commit before its deadline or writes nothing': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const call = await addCall(stores, ada, roads);
    const expiringEffects = { ...someEffects(), deadline: createDeadlineExpiringAtCommit() };
    await assertRejects(decideCall(stores, call, { status: 'approved' }, expiringEffects), 'timed_out');
    deepStrictEqual(await stores.calls.find(call.id), toStoredCall(call, ada, roads));
    await assertWritten(stores);
  },

  'when the same call is decided concurrently, only one decision sees the status that it changes': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const { id } = await addCall(stores, ada, roads, { status: 'approved' });
    await assertOneSucceeds(
      () =>
        stores.calls.decide(id, start, ({ call }) => {
          if (call.status !== 'approved') throw new PorticoError('call_decided');
          return { call: { ...call, status: 'done' }, ...noEffects };
        }),
      'call_decided',
    );
  },

  'expired calls lose their arguments, those that expired first before others, up to the limit': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const expiries = [start + 7, start + 5, start + 6, start + 8];
    const calls: SealedCall[] = [];
    for (const [index, expiresAt] of expiries.entries())
      calls.push(await addCall(stores, ada, roads, { status: index % 2 ? 'approved' : 'waiting', expiresAt }));
    const decidedCall = await addCall(stores, ada, roads, { status: 'denied', expiresAt: start + 1 });
    strictEqual(await stores.calls.expire(start + 7, 2), 2);
    const isExpired = async ({ id }: SealedCall) => {
      const call = await stores.calls.find(id);
      return call?.status === 'expired' && call.sealed === null;
    };
    deepStrictEqual(await Promise.all(calls.map(isExpired)), [false, true, true, false]);
    strictEqual(await stores.calls.expire(start + 7, 9), 1);
    strictEqual(await stores.calls.expire(start + 7, 9), 0);
    deepStrictEqual(await Promise.all(calls.map(isExpired)), [true, true, true, false]);
    deepStrictEqual(await stores.calls.find(decidedCall.id), toStoredCall(decidedCall, ada, roads));
  },

  'calls that were requested before an instant are removed, the oldest first, up to the limit': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const second = await addCall(stores, ada, roads, { requestedAt: start + 1 });
    const first = await addCall(stores, ada, roads, { requestedAt: start });
    const third = await addCall(stores, ada, roads, { requestedAt: start + 2 });
    strictEqual(await stores.calls.prune(start + 2, 1), 1);
    deepStrictEqual(await idsOf(stores), [second.id, third.id]);
    deepStrictEqual([await stores.calls.prune(start + 2, 9), await stores.calls.prune(start + 2, 9)], [1, 0]);
    deepStrictEqual(await idsOf(stores), [third.id]);
    strictEqual(await stores.calls.find(first.id), null);
  },

  'the calls that still have arguments are returned': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const call = await addCall(stores, ada, roads);
    await addCall(stores, ada, roads, { status: 'denied', sealed: null });
    deepStrictEqual(await stores.calls.listSealed(), [{ id: call.id, sealed: call.sealed }]);
  },
} satisfies Contract<Stores>;

/** Adds two profiles and two collections. */
const setUp = async ({ profiles, collections }: Stores) => {
  const [ada, bob] = [aProfile(), aProfile()];
  const [roads, bridges] = [aCollection({ name: 'Roads' }), aCollection({ name: 'Bridges' })];
  for (const profile of [ada, bob]) await profiles.add(profile, noEffects);
  for (const collection of [roads, bridges]) await collections.add(collection, aDocumentContent(), noEffects);
  return { ada, bob, roads, bridges };
};

const addCall = async (
  { calls }: Stores,
  profile: Profile,
  collection: Collection,
  fields: Partial<SealedCall> = {},
  effects: Effects = noEffects,
): Promise<SealedCall> => {
  const call = aCall(profile, collection, fields);
  await calls.create(profile.id, collection.id, start, () => ({ call, ...effects }));
  return call;
};

const toChange =
  (fields: Partial<SealedCall>, effects: Effects = noEffects) =>
  ({ call }: CallState): CallChange => ({ call: { ...call, ...fields }, ...effects });

const decideCall = (
  { calls }: Stores,
  { id }: SealedCall,
  fields: Partial<SealedCall>,
  effects: Effects = noEffects,
): Promise<void> => calls.decide(id, start, toChange(fields, effects));

const toStoredCall = (call: SealedCall, { email }: Profile, { name: collectionName }: Collection) => ({
  ...call,
  email,
  collectionName,
});

const toListedCall = ({ sealed: _sealed, ...call }: SealedCall, { email }: Profile, { name }: Collection) => ({
  ...call,
  email,
  collectionName: name,
});

const listOf = (
  { calls }: Stores,
  filter: Partial<CallFilter> = {},
  page: Partial<CallPage> = {},
  now: number = start,
) =>
  calls.list({ status: null, profileId: null, collectionId: null, ...filter }, now, {
    limit: 99,
    order: 'oldest first',
    after: null,
    ...page,
  });

const idsOf = async (
  stores: Stores,
  filter: Partial<CallFilter> = {},
  page: Partial<CallPage> = {},
  now: number = start,
): Promise<readonly string[]> => (await listOf(stores, filter, page, now)).map(({ id }) => id);

const captureNewState = async (
  { calls }: Stores,
  { id }: Profile,
  collection: Collection,
  now = start,
): Promise<NewCallState> => {
  let capturedState: NewCallState | null = null;
  await calls.create(id, collection.id, now, (state) => {
    capturedState = state;
    return null;
  });
  if (!capturedState) throw new Error('decide was not called.');
  return capturedState;
};

const captureState = async ({ calls }: Stores, { id }: SealedCall, now = start): Promise<CallState> => {
  let capturedState: CallState | null = null;
  await calls.decide(id, now, (state) => {
    capturedState = state;
    return null;
  });
  if (!capturedState) throw new Error('decide was not called.');
  return capturedState;
};
