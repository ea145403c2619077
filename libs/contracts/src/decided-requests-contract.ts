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
import { assertRefused, refuse } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claim, join, strangers } from './joining.ts';
import { aContent, aRequest, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** Stores, with a way to put a request into their database. */
export interface AskedStores extends Stores {
  readonly ask: (request: AccessRequest) => Promise<void>;
}

const notPending: readonly RequestStatus[] = ['approved', 'denied', 'withdrawn', 'granted'];

/** What the stores promise of requests for access, which their decisions see and close. */
export const decidedRequestsContract = {
  'the decision of a grant sees the pending requests of the client for the collection': async (stores) => {
    const { client, collection } = await strangers(stores);
    const other = await strangers(stores);
    const request = await asked(stores, aRequest(client, collection, { durationDays: null, reason: '' }));
    await asked(stores, aRequest(client, other.collection));
    await asked(stores, aRequest(other.client, collection));
    const pairs = [clientPair(client.id, collection.id), clientPair(other.client.id, other.collection.id)];
    deepStrictEqual(await seenByGrants(stores, pairs), [[request], []]);
  },

  'the decision for a group sees the pending requests of its members, by hand and by claim, each once': async (
    stores,
  ) => {
    const { client, group, collection } = await strangers(stores);
    const [claiming, both, other] = [await strangers(stores), await strangers(stores), await strangers(stores)];
    await join(stores, group, [client, both.client]);
    for (const member of [claiming, both]) await claim(stores, member.client, [group.name]);
    await join(stores, other.group, [other.client]);
    const requests: AccessRequest[] = [];
    for (const asker of [client, claiming.client, both.client])
      requests.push(await asked(stores, aRequest(asker, collection)));
    await asked(stores, aRequest(other.client, collection));
    await asked(stores, aRequest(client, other.collection));
    const [seen] = await seenByGrants(stores, [groupPair(group.id, collection.id)]);
    deepStrictEqual(byId(seen), byId(requests));
  },

  'a decision sees no request that was decided before': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await join(stores, group, [client]);
    await claim(stores, client, [group.name]);
    await granted(stores, groupPair(group.id, collection.id), null);
    for (const status of notPending) {
      await asked(stores, aRequest(client, collection, { status, decidedAt: start + 1, answer: 'No.' }));
    }
    const pairs = [clientPair(client.id, collection.id), groupPair(group.id, collection.id)];
    deepStrictEqual(await seenByGrants(stores, pairs), [[], []]);
    deepStrictEqual(await seenByMembers(stores, group, [client]), [[]]);
    deepStrictEqual(await seenByClaims(stores, client, claimsOf([group.name])), []);
  },

  'the decision about members sees the pending requests of each for what the group has': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const other = await strangers(stores);
    await granted(stores, groupPair(group.id, collection.id), null);
    await granted(stores, groupPair(other.group.id, other.collection.id), null);
    const request = await asked(stores, aRequest(client, collection));
    const others = await asked(stores, aRequest(other.client, collection));
    await asked(stores, aRequest(client, other.collection));
    deepStrictEqual(await seenByMembers(stores, group, [other.client, client]), [[others], [request]]);
  },

  'what a group has no longer does not count for its members': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await granted(stores, groupPair(group.id, collection.id), start + 5);
    const request = await asked(stores, aRequest(client, collection));
    deepStrictEqual(await seenByMembers(stores, group, [client], start + 4), [[request]]);
    deepStrictEqual(await seenByMembers(stores, group, [client], start + 5), [[]]);
  },

  'what a token says sees the pending requests for what the claimed groups have, each once': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const second = await strangers(stores);
    const other = await strangers(stores);
    for (const { id } of [group, second.group]) await granted(stores, groupPair(id, collection.id), null);
    await granted(stores, groupPair(other.group.id, other.collection.id), null);
    const request = await asked(stores, aRequest(client, collection));
    await asked(stores, aRequest(client, other.collection));
    await asked(stores, aRequest(other.client, collection));
    const claims = claimsOf([group.name, second.group.name]);
    deepStrictEqual(await seenByClaims(stores, client, claims), [request]);
  },

  'what a claimed group has no longer, when the token is seen, does not count': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    await granted(stores, groupPair(group.id, collection.id), start + 5);
    const request = await asked(stores, aRequest(client, collection));
    for (const [seenAt, seen] of [
      [start + 4, [request]],
      [start + 5, []],
    ] as const)
      deepStrictEqual(await seenByClaims(stores, client, { ...claimsOf([group.name]), seenAt }), seen);
  },

  'a renaming sees the pending requests, for what the group has then, of those whose tokens name the new name': async (
    stores,
  ) => {
    const { client, group, collection } = await strangers(stores);
    const { client: other, collection: ended } = await strangers(stores);
    await claim(stores, client, ['Ops']);
    await claim(stores, other, [group.name]);
    await granted(stores, groupPair(group.id, collection.id), null);
    await granted(stores, groupPair(group.id, ended.id), start + 5);
    const request = await asked(stores, aRequest(client, collection));
    await asked(stores, aRequest(client, ended));
    await asked(stores, aRequest(other, collection));
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

  'a grant, a change of members, a token and a renaming close the requests that they decide': async (stores) => {
    const { client, group, collection } = await strangers(stores);
    const pair = clientPair(client.id, collection.id);
    await granted(stores, groupPair(group.id, collection.id), null);
    const close = (requests: readonly AccessRequest[] = []) => ({
      requests: requests.map((request) => ({ ...request, status: 'granted' as const, decidedAt: start + 9 })),
      ...noEffects,
    });
    for (const closing of [
      () => stores.grants.update([pair], ([state]) => close(state?.requests)),
      () => stores.groups.updateMembers(group.id, [client.id], start, (_group, [state]) => close(state?.requests)),
      () => stores.groups.followClaims(client.id, claimsOf([group.name]), (_before, requests) => close(requests)),
      () =>
        stores.groups.update(group.id, (current, requests) => ({ group: current, ...close(requests) }), {
          name: group.name,
          now: start,
        }),
    ]) {
      const request = await asked(stores, aRequest(client, collection));
      deepStrictEqual(await seenByGrants(stores, [pair]), [[request]]);
      await closing();
      deepStrictEqual(await seenByGrants(stores, [pair]), [[]]);
    }
  },

  'a decision that throws leaves the requests as they were': async (stores) => {
    const { client, collection } = await strangers(stores);
    const pair = clientPair(client.id, collection.id);
    const request = await asked(stores, aRequest(client, collection));
    await assertRefused(stores.grants.update([pair], refuse), 'already_approved');
    deepStrictEqual(await seenByGrants(stores, [pair]), [[request]]);
  },

  'a removal of a profile removes its requests, and those of no other': async (stores) => {
    const [gone, stays] = [await strangers(stores), await strangers(stores)];
    const [, request] = [
      await asked(stores, aRequest(gone.client, gone.collection)),
      await asked(stores, aRequest(stays.client, gone.collection)),
    ];
    await stores.profiles.remove(gone.client.id, () => noEffects);
    await stores.profiles.add(gone.client, noEffects);
    const pairs = [gone, stays].map(({ client }) => clientPair(client.id, gone.collection.id));
    deepStrictEqual(await seenByGrants(stores, pairs), [[], [request]]);
  },

  'a removal of a collection removes the requests for it, and for no other': async (stores) => {
    const [gone, stays] = [await strangers(stores), await strangers(stores)];
    const [, request] = [
      await asked(stores, aRequest(gone.client, gone.collection)),
      await asked(stores, aRequest(gone.client, stays.collection)),
    ];
    await stores.collections.remove(gone.collection.id, () => noEffects);
    await stores.collections.add(gone.collection, aContent(), noEffects);
    const pairs = [gone, stays].map(({ collection }) => clientPair(gone.client.id, collection.id));
    deepStrictEqual(await seenByGrants(stores, pairs), [[], [request]]);
  },
} satisfies Contract<AskedStores>;

const asked = async (stores: AskedStores, request: AccessRequest): Promise<AccessRequest> => {
  await stores.ask(request);
  return request;
};

const granted = ({ grants }: Stores, pair: Pair, expiresAt: Instant | null): Promise<void> =>
  grantPair(grants, pair, () => ({ grantedAt: start, expiresAt, ...noEffects }));

const claimsOf = (names: readonly string[]): GroupClaims => ({
  names: [...names].sort(),
  issuedAt: start,
  seenAt: start,
});

/** The requests that the decision of a grant sees for each pair. */
const seenByGrants = async ({ grants }: Stores, pairs: readonly Pair[]) => {
  let seen: (readonly AccessRequest[])[] = [];
  await grants.update(pairs, (states) => {
    seen = states.map(({ requests }) => requests);
    return noEffects;
  });
  return seen;
};

/** The requests that a decision about members sees for each profile. */
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

/** The requests that the decision about what a token says sees. */
const seenByClaims = async ({ groups }: Stores, { id }: Parameters<typeof claim>[1], claims: GroupClaims) => {
  let seen: readonly AccessRequest[] = [];
  await groups.followClaims(id, claims, (_before, requests) => {
    seen = requests;
    return noEffects;
  });
  return seen;
};

const byId = (requests: readonly AccessRequest[] = []): readonly AccessRequest[] =>
  [...requests].sort((a, b) => (a.id < b.id ? -1 : 1));
