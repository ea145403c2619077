import { deepStrictEqual } from 'node:assert/strict';
import { activeLifecycle, type Profile, type ProfileId, type RequestFilter, type RequestState } from '@portico/domain';
import type { Contract } from './contract.ts';
import { addToGroup, addUnrelatedRecords, claimGroups, removeFromGroup } from './memberships.ts';
import { aDeprecation, aRequest, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `AccessRequestStore` for the owners of collections. */
export const ownedRequestsContract = {
  'a decision gets the state of the collection': async (stores) => {
    const { collection, request } = await addOwned(stores);
    for (const lifecycle of [aDeprecation(), aDeprecation({ state: 'retired' }), activeLifecycle]) {
      await stores.collections.update(collection.id, (current) => ({
        collection: { ...current, lifecycle },
        ...noEffects,
      }));
      deepStrictEqual((await captureState(stores, request, null)).lifecycle, lifecycle.state);
    }
  },

  'a new request gets the state of the collection': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores, {
      collection: { lifecycle: aDeprecation({ state: 'retired' }) },
    });
    await stores.requests.create(client.id, collection.id, start, (state) => {
      deepStrictEqual(state.collection?.lifecycle, 'retired');
      return { request: aRequest(client, collection), ...noEffects };
    });
  },

  'a decision knows whether its decider owns the collection at that time': async (stores) => {
    const { owner, group, request } = await addOwned(stores);
    const { client: stranger, group: otherGroup } = await addUnrelatedRecords(stores);
    await addToGroup(stores, otherGroup, [stranger]);
    const ownsNow = async (decider: ProfileId | null) => (await captureState(stores, request, decider)).isOwned;
    deepStrictEqual([await ownsNow(owner.id), await ownsNow(stranger.id), await ownsNow(null)], [true, false, false]);
    await removeFromGroup(stores, group, [owner]);
    deepStrictEqual(await ownsNow(owner.id), false);
    await claimGroups(stores, owner, [group.name], start);
    deepStrictEqual(await ownsNow(owner.id), true);
  },

  "an owner's requests are those for its collections, with or without its own": async (stores) => {
    const { owner, collection, request } = await addOwned(stores);
    const other = await addOwned(stores);
    const [ownOwned, ownOther] = [aRequest(owner, collection), aRequest(owner, other.collection)];
    for (const own of [ownOwned, ownOther])
      await stores.requests.create(owner.id, own.collectionId, start, () => ({ request: own, ...noEffects }));
    const listIds = async (own: 'included' | 'excluded', fields: Partial<RequestFilter> = {}) => {
      const filter = { ...anyRequest, ownedBy: { profileId: owner.id, own }, ...fields };
      const page = { limit: 9, order: 'oldest first', after: null } as const;
      return (await stores.requests.list(filter, page)).map(({ id }) => id);
    };
    deepStrictEqual(await listIds('included'), [request.id, ownOwned.id, ownOther.id].sort());
    deepStrictEqual(await listIds('excluded'), [request.id]);
    deepStrictEqual(await listIds('included', { profileId: request.profileId }), [request.id]);
    deepStrictEqual(await listIds('included', { profileId: other.request.profileId }), []);
    deepStrictEqual(await listIds('excluded', { collectionId: other.collection.id }), []);
  },
} satisfies Contract<Stores>;

const anyRequest: RequestFilter = { status: null, profileId: null, collectionId: null };

/** Adds a request for a collection that a profile owns as the member of a group. */
const addOwned = async (stores: Stores) => {
  const { client: owner, group, collection } = await addUnrelatedRecords(stores);
  const { client } = await addUnrelatedRecords(stores);
  await addToGroup(stores, group, [owner]);
  await stores.collections.update(collection.id, (current) => ({
    collection: { ...current, ownerGroup: group.id },
    ...noEffects,
  }));
  const request = aRequest(client, collection);
  await stores.requests.create(client.id, collection.id, start, () => ({ request, ...noEffects }));
  return { owner, group, collection, request };
};

/** Returns the state of a decision that changes nothing. */
const captureState = async (
  { requests }: Stores,
  request: ReturnType<typeof aRequest>,
  decider: Profile['id'] | null,
): Promise<RequestState> => {
  let captured: RequestState | null = null;
  const capture = (state: RequestState) => {
    captured = state;
    return { request, ...noEffects };
  };
  await requests.decide(request.id, capture, decider);
  if (!captured) throw new Error('The decision was not called.');
  return captured;
};
