import { deepStrictEqual } from 'node:assert/strict';
import {
  type AccessRequest,
  toClientPair,
  type GroupClaims,
  toGroupPair,
  type Instant,
  type Pair,
  type RequestStatus,
} from '@portico/domain';
import { assertRejects, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantPair } from './granting.ts';
import { claimGroups, addToGroup, addUnrelatedRecords } from './memberships.ts';
import { aDocumentContent, aRequest, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The stores, and a function that adds a request directly to their database. */
export interface RequestStores extends Stores {
  readonly addRequest: (request: AccessRequest) => Promise<void>;
}

const decidedStatuses: readonly RequestStatus[] = ['approved', 'denied', 'withdrawn', 'granted'];

/** The contract of the stores whose decisions see and close access requests. */
export const decidedRequestsContract = {
  'the decision about a grant sees the pending requests of the client for the collection': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    const request = await addRequest(stores, aRequest(client, collection, { durationDays: null, reason: '' }));
    await addRequest(stores, aRequest(client, otherRecords.collection));
    await addRequest(stores, aRequest(otherRecords.client, collection));
    const pairs = [
      toClientPair(client.id, collection.id),
      toClientPair(otherRecords.client.id, otherRecords.collection.id),
    ];
    deepStrictEqual(await captureGrantRequests(stores, pairs), [[request], []]);
  },

  'the decision about a group sees each pending request of its added and claiming members once': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const [claimingRecords, addedAndClaimingRecords, otherRecords] = [
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
      await addUnrelatedRecords(stores),
    ];
    await addToGroup(stores, group, [client, addedAndClaimingRecords.client]);
    for (const member of [claimingRecords, addedAndClaimingRecords])
      await claimGroups(stores, member.client, [group.name]);
    await addToGroup(stores, otherRecords.group, [otherRecords.client]);
    const requests: AccessRequest[] = [];
    for (const requester of [client, claimingRecords.client, addedAndClaimingRecords.client])
      requests.push(await addRequest(stores, aRequest(requester, collection)));
    await addRequest(stores, aRequest(otherRecords.client, collection));
    await addRequest(stores, aRequest(client, otherRecords.collection));
    const [capturedRequests] = await captureGrantRequests(stores, [toGroupPair(group.id, collection.id)]);
    deepStrictEqual(sortById(capturedRequests), sortById(requests));
  },

  'a decision does not see requests that were already decided': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await addToGroup(stores, group, [client]);
    await claimGroups(stores, client, [group.name]);
    await grant(stores, toGroupPair(group.id, collection.id), null);
    for (const status of decidedStatuses) {
      await addRequest(stores, aRequest(client, collection, { status, decidedAt: start + 1, answer: 'No.' }));
    }
    const pairs = [toClientPair(client.id, collection.id), toGroupPair(group.id, collection.id)];
    deepStrictEqual(await captureGrantRequests(stores, pairs), [[], []]);
    deepStrictEqual(await captureMemberRequests(stores, group, [client]), [[]]);
    deepStrictEqual(await captureClaimRequests(stores, client, claimsOf([group.name])), []);
  },

  'the decision about members sees the pending requests of each member for the collections of the group': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    await grant(stores, toGroupPair(group.id, collection.id), null);
    await grant(stores, toGroupPair(otherRecords.group.id, otherRecords.collection.id), null);
    const request = await addRequest(stores, aRequest(client, collection));
    const otherRequest = await addRequest(stores, aRequest(otherRecords.client, collection));
    await addRequest(stores, aRequest(client, otherRecords.collection));
    deepStrictEqual(await captureMemberRequests(stores, group, [otherRecords.client, client]), [
      [otherRequest],
      [request],
    ]);
  },

  'an expired grant of a group does not count for its members': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await grant(stores, toGroupPair(group.id, collection.id), start + 5);
    const request = await addRequest(stores, aRequest(client, collection));
    deepStrictEqual(await captureMemberRequests(stores, group, [client], start + 4), [[request]]);
    deepStrictEqual(await captureMemberRequests(stores, group, [client], start + 5), [[]]);
  },

  'the decision about claims sees each pending request for the collections of the claimed groups once': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const secondRecords = await addUnrelatedRecords(stores);
    const otherRecords = await addUnrelatedRecords(stores);
    for (const { id } of [group, secondRecords.group]) await grant(stores, toGroupPair(id, collection.id), null);
    await grant(stores, toGroupPair(otherRecords.group.id, otherRecords.collection.id), null);
    const request = await addRequest(stores, aRequest(client, collection));
    await addRequest(stores, aRequest(client, otherRecords.collection));
    await addRequest(stores, aRequest(otherRecords.client, collection));
    const claims = claimsOf([group.name, secondRecords.group.name]);
    deepStrictEqual(await captureClaimRequests(stores, client, claims), [request]);
  },

  'a grant of a claimed group that has expired by the time the token is seen does not count': async (stores) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    await grant(stores, toGroupPair(group.id, collection.id), start + 5);
    const request = await addRequest(stores, aRequest(client, collection));
    for (const [seenAt, expected] of [
      [start + 4, [request]],
      [start + 5, []],
    ] as const)
      deepStrictEqual(await captureClaimRequests(stores, client, { ...claimsOf([group.name]), seenAt }), expected);
  },

  'the decision about renaming a group sees the pending requests for its collections by profiles whose tokens contain the new name':
    async (stores) => {
      const { client, group, collection } = await addUnrelatedRecords(stores);
      const { client: otherClient, collection: expiredCollection } = await addUnrelatedRecords(stores);
      await claimGroups(stores, client, ['Ops']);
      await claimGroups(stores, otherClient, [group.name]);
      await grant(stores, toGroupPair(group.id, collection.id), null);
      await grant(stores, toGroupPair(group.id, expiredCollection.id), start + 5);
      const request = await addRequest(stores, aRequest(client, collection));
      await addRequest(stores, aRequest(client, expiredCollection));
      await addRequest(stores, aRequest(otherClient, collection));
      const capturedRequests: (readonly AccessRequest[])[] = [];
      for (const rename of [{ name: 'Ops', now: start + 5 }, { name: 'ops', now: start }, null])
        await stores.groups.update(
          group.id,
          (current, requests) => {
            capturedRequests.push(requests);
            return { group: current, ...noEffects };
          },
          rename,
        );
      deepStrictEqual(capturedRequests, [[request], [], []]);
    },

  'granting, changing members, claiming groups and renaming a group close the requests that they decide': async (
    stores,
  ) => {
    const { client, group, collection } = await addUnrelatedRecords(stores);
    const pair = toClientPair(client.id, collection.id);
    await grant(stores, toGroupPair(group.id, collection.id), null);
    const close = (requests: readonly AccessRequest[] = []) => ({
      requests: requests.map((request) => ({ ...request, status: 'granted' as const, decidedAt: start + 9 })),
      ...noEffects,
    });
    for (const closeRequests of [
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
      deepStrictEqual(await captureGrantRequests(stores, [pair]), [[request]]);
      await closeRequests();
      deepStrictEqual(await captureGrantRequests(stores, [pair]), [[]]);
    }
  },

  'a decision that throws does not change the requests': async (stores) => {
    const { client, collection } = await addUnrelatedRecords(stores);
    const pair = toClientPair(client.id, collection.id);
    const request = await addRequest(stores, aRequest(client, collection));
    await assertRejects(stores.grants.update([pair], failDecision), 'already_approved');
    deepStrictEqual(await captureGrantRequests(stores, [pair]), [[request]]);
  },

  'removing a profile removes only its own requests': async (stores) => {
    const [removedRecords, remainingRecords] = [await addUnrelatedRecords(stores), await addUnrelatedRecords(stores)];
    const [, request] = [
      await addRequest(stores, aRequest(removedRecords.client, removedRecords.collection)),
      await addRequest(stores, aRequest(remainingRecords.client, removedRecords.collection)),
    ];
    await stores.profiles.remove(removedRecords.client.id, () => noEffects);
    await stores.profiles.add(removedRecords.client, noEffects);
    const pairs = [removedRecords, remainingRecords].map(({ client }) =>
      toClientPair(client.id, removedRecords.collection.id),
    );
    deepStrictEqual(await captureGrantRequests(stores, pairs), [[], [request]]);
  },

  'removing a collection removes only the requests for that collection': async (stores) => {
    const [removedRecords, remainingRecords] = [await addUnrelatedRecords(stores), await addUnrelatedRecords(stores)];
    const [, request] = [
      await addRequest(stores, aRequest(removedRecords.client, removedRecords.collection)),
      await addRequest(stores, aRequest(removedRecords.client, remainingRecords.collection)),
    ];
    await stores.collections.remove(removedRecords.collection.id, () => noEffects);
    await stores.collections.add(removedRecords.collection, aDocumentContent(), noEffects);
    const pairs = [removedRecords, remainingRecords].map(({ collection }) =>
      toClientPair(removedRecords.client.id, collection.id),
    );
    deepStrictEqual(await captureGrantRequests(stores, pairs), [[], [request]]);
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
const captureGrantRequests = async ({ grants }: Stores, pairs: readonly Pair[]) => {
  let capturedRequests: (readonly AccessRequest[])[] = [];
  await grants.update(pairs, (states) => {
    capturedRequests = states.map(({ requests }) => requests);
    return noEffects;
  });
  return capturedRequests;
};

/** Returns the requests that a decision about members sees for each profile. */
const captureMemberRequests = async (
  { groups }: Stores,
  { id }: Parameters<typeof addToGroup>[1],
  profiles: Parameters<typeof addToGroup>[2],
  now: Instant = start,
) => {
  let capturedRequests: (readonly AccessRequest[])[] = [];
  const ids = profiles.map((profile) => profile.id);
  await groups.updateMembers(id, ids, now, (_group, states) => {
    capturedRequests = states.map(({ requests }) => requests);
    return noEffects;
  });
  return capturedRequests;
};

/** Returns the requests that a decision about a token's claims sees. */
const captureClaimRequests = async (
  { groups }: Stores,
  { id }: Parameters<typeof claimGroups>[1],
  claims: GroupClaims,
) => {
  let capturedRequests: readonly AccessRequest[] = [];
  await groups.syncClaims(id, claims, (_before, requests) => {
    capturedRequests = requests;
    return noEffects;
  });
  return capturedRequests;
};

const sortById = (requests: readonly AccessRequest[] = []): readonly AccessRequest[] =>
  [...requests].sort((a, b) => (a.id < b.id ? -1 : 1));
