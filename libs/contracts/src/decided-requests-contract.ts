import { deepStrictEqual } from 'node:assert/strict';
import {
  type AccessRequest,
  clientPair,
  type GroupClaims,
  groupPair,
  type Instant,
  type Pair,
  type RequestStatus,
} from '@portico/domain';
import { assertRejects, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, join, addUnrelated } from './memberships.ts';
import { aContent, aRequest, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The stores, and a function that adds a request directly to their database. */
export interface RequestStores extends Stores {
  readonly addRequest: (request: AccessRequest) => Promise<void>;
}

const notPending: readonly RequestStatus[] = ['approved', 'denied', 'withdrawn', 'granted'];

/** The contract of the stores whose decisions see and close access requests. */
export const decidedRequestsContract = {
  'the decision about a grant sees the pending requests of the client for the collection': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    const request = await addRequest(stores, aRequest(client, collection, { durationDays: null, reason: '' }));
    await addRequest(stores, aRequest(client, other.collection));
    await addRequest(stores, aRequest(other.client, collection));
    const pairs = [clientPair(client.id, collection.id), clientPair(other.client.id, other.collection.id)];
    deepStrictEqual(await seenByGrants(stores, pairs), [[request], []]);
  },

  'the decision about a group sees the pending requests of its added and claiming members, each once': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelated(stores);
    const [claiming, both, other] = [
      await addUnrelated(stores),
      await addUnrelated(stores),
      await addUnrelated(stores),
    ];
    await join(stores, group, [client, both.client]);
    for (const member of [claiming, both]) await claimGroups(stores, member.client, [group.name]);
    await join(stores, other.group, [other.client]);
    const requests: AccessRequest[] = [];
    for (const requester of [client, claiming.client, both.client])
      requests.push(await addRequest(stores, aRequest(requester, collection)));
    await addRequest(stores, aRequest(other.client, collection));
    await addRequest(stores, aRequest(client, other.collection));
    const [seen] = await seenByGrants(stores, [groupPair(group.id, collection.id)]);
    deepStrictEqual(byId(seen), byId(requests));
  },

  'a decision sees no request that was decided before': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await join(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await grant(stores, groupPair(group.id, collection.id), null);
    for (const status of notPending) {
      await addRequest(stores, aRequest(client, collection, { status, decidedAt: start + 1, answer: 'No.' }));
    }
    const pairs = [clientPair(client.id, collection.id), groupPair(group.id, collection.id)];
    deepStrictEqual(await seenByGrants(stores, pairs), [[], []]);
    deepStrictEqual(await seenByMembers(stores, group, [client]), [[]]);
    deepStrictEqual(await seenByClaims(stores, client, claimsOf([group.name])), []);
  },

  'the decision about members sees the pending requests of each for the collections of the group': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    await grant(stores, groupPair(group.id, collection.id), null);
    await grant(stores, groupPair(other.group.id, other.collection.id), null);
    const request = await addRequest(stores, aRequest(client, collection));
    const others = await addRequest(stores, aRequest(other.client, collection));
    await addRequest(stores, aRequest(client, other.collection));
    deepStrictEqual(await seenByMembers(stores, group, [other.client, client]), [[others], [request]]);
  },

  'a grant of a group that has expired does not count for its members': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await grant(stores, groupPair(group.id, collection.id), start + 5);
    const request = await addRequest(stores, aRequest(client, collection));
    deepStrictEqual(await seenByMembers(stores, group, [client], start + 4), [[request]]);
    deepStrictEqual(await seenByMembers(stores, group, [client], start + 5), [[]]);
  },

  'the decision about claims sees the pending requests for the collections of the claimed groups, each once': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelated(stores);
    const second = await addUnrelated(stores);
    const other = await addUnrelated(stores);
    for (const { id } of [group, second.group]) await grant(stores, groupPair(id, collection.id), null);
    await grant(stores, groupPair(other.group.id, other.collection.id), null);
    const request = await addRequest(stores, aRequest(client, collection));
    await addRequest(stores, aRequest(client, other.collection));
    await addRequest(stores, aRequest(other.client, collection));
    const claims = claimsOf([group.name, second.group.name]);
    deepStrictEqual(await seenByClaims(stores, client, claims), [request]);
  },

  'a grant of a claimed group that has expired when the token is seen does not count': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    await grant(stores, groupPair(group.id, collection.id), start + 5);
    const request = await addRequest(stores, aRequest(client, collection));
    for (const [seenAt, seen] of [
      [start + 4, [request]],
      [start + 5, []],
    ] as const)
      deepStrictEqual(await seenByClaims(stores, client, { ...claimsOf([group.name]), seenAt }), seen);
  },

  'renaming a group sees the pending requests for its collections by profiles whose tokens have the new name': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelated(stores);
    const { client: other, collection: expiredCollection } = await addUnrelated(stores);
    await claimGroups(stores, client, ['Ops']);
    await claimGroups(stores, other, [group.name]);
    await grant(stores, groupPair(group.id, collection.id), null);
    await grant(stores, groupPair(group.id, expiredCollection.id), start + 5);
    const request = await addRequest(stores, aRequest(client, collection));
    await addRequest(stores, aRequest(client, expiredCollection));
    await addRequest(stores, aRequest(other, collection));
    const seen: (readonly AccessRequest[])[] = [];
    for (const renaming of [{ name: 'Ops', now: start + 5 }, { name: 'ops', now: start }, null])
      await stores.groups.update(
        group.id,
        (current, requests) => {
          seen.push(requests);
          return { group: current, ...noEffects };
        },
        renaming,
      );
    deepStrictEqual(seen, [[request], [], []]);
  },

  'a grant, a change of members, a token and a rename close the requests that they decide': async (stores) => {
    const { client, group, collection } = await addUnrelated(stores);
    const pair = clientPair(client.id, collection.id);
    await grant(stores, groupPair(group.id, collection.id), null);
    const close = (requests: readonly AccessRequest[] = []) => ({
      requests: requests.map((request) => ({ ...request, status: 'granted' as const, decidedAt: start + 9 })),
      ...noEffects,
    });
    for (const closing of [
      () => stores.grants.update([pair], ([state]) => close(state?.requests)),
      () => stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => close(state?.requests)),
      () => stores.groups.syncClaims(client.id, claimsOf([group.name]), (_before, requests) => close(requests)),
      () =>
        stores.groups.update(group.id, (current, requests) => ({ group: current, ...close(requests) }), {
          name: group.name,
          now: start,
        }),
    ]) {
      const request = await addRequest(stores, aRequest(client, collection));
      deepStrictEqual(await seenByGrants(stores, [pair]), [[request]]);
      await closing();
      deepStrictEqual(await seenByGrants(stores, [pair]), [[]]);
    }
  },

  'a decision that throws does not change the requests': async (stores) => {
    const { client, collection } = await addUnrelated(stores);
    const pair = clientPair(client.id, collection.id);
    const request = await addRequest(stores, aRequest(client, collection));
    await assertRejects(stores.grants.update([pair], failDecision), 'already_approved');
    deepStrictEqual(await seenByGrants(stores, [pair]), [[request]]);
  },

  'removing a profile removes its requests, and no others': async (stores) => {
    const [removed, remaining] = [await addUnrelated(stores), await addUnrelated(stores)];
    const [, request] = [
      await addRequest(stores, aRequest(removed.client, removed.collection)),
      await addRequest(stores, aRequest(remaining.client, removed.collection)),
    ];
    await stores.profiles.remove(removed.client.id, () => noEffects);
    await stores.profiles.add(removed.client, noEffects);
    const pairs = [removed, remaining].map(({ client }) => clientPair(client.id, removed.collection.id));
    deepStrictEqual(await seenByGrants(stores, pairs), [[], [request]]);
  },

  'removing a collection removes the requests for it, and no others': async (stores) => {
    const [removed, remaining] = [await addUnrelated(stores), await addUnrelated(stores)];
    const [, request] = [
      await addRequest(stores, aRequest(removed.client, removed.collection)),
      await addRequest(stores, aRequest(removed.client, remaining.collection)),
    ];
    await stores.collections.remove(removed.collection.id, () => noEffects);
    await stores.collections.add(removed.collection, aContent(), noEffects);
    const pairs = [removed, remaining].map(({ collection }) => clientPair(removed.client.id, collection.id));
    deepStrictEqual(await seenByGrants(stores, pairs), [[], [request]]);
  },
} satisfies Contract<RequestStores>;

const addRequest = async (stores: RequestStores, request: AccessRequest): Promise<AccessRequest> => {
  await stores.addRequest(request);
  return request;
};

const grant = ({ grants }: Stores, pair: Pair, expiresAt: Instant | null): Promise<void> =>
  grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, ...noEffects }));

const claimsOf = (names: readonly string[]): GroupClaims => ({
  names: [...names].sort(),
  issuedAt: start,
  seenAt: start,
});

/** Returns the requests that the decision about a grant sees for each pair. */
const seenByGrants = async ({ grants }: Stores, pairs: readonly Pair[]) => {
  let seen: (readonly AccessRequest[])[] = [];
  await grants.update(pairs, (states) => {
    seen = states.map(({ requests }) => requests);
    return noEffects;
  });
  return seen;
};

/** Returns the requests that a decision about members sees for each profile. */
const seenByMembers = async (
  { groups }: Stores,
  { id }: Parameters<typeof join>[1],
  profiles: Parameters<typeof join>[2],
  now: Instant = start,
) => {
  let seen: (readonly AccessRequest[])[] = [];
  const ids = profiles.map((profile) => profile.id);
  await groups.updateMembers(id, ids, now, (_group, states) => {
    seen = states.map(({ requests }) => requests);
    return noEffects;
  });
  return seen;
};

/** Returns the requests that a decision about a token's claims sees. */
const seenByClaims = async ({ groups }: Stores, { id }: Parameters<typeof claimGroups>[1], claims: GroupClaims) => {
  let seen: readonly AccessRequest[] = [];
  await groups.syncClaims(id, claims, (_before, requests) => {
    seen = requests;
    return noEffects;
  });
  return seen;
};

const byId = (requests: readonly AccessRequest[] = []): readonly AccessRequest[] =>
  [...requests].sort((a, b) => (a.id < b.id ? -1 : 1));
