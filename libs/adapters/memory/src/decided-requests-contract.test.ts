import { type RequestStores, decidedRequestsContract, type Sabotages } from '@portico/contracts';
import type { AccessRequest, RequestStatus } from '@portico/domain';
import { describe } from 'vitest';
import { type Breach, breachesOf, saveEntries } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const { update } = breachesOf('grants');
const { syncClaims, update: updateGroup, updateMembers } = breachesOf('groups');

const createStores =
  (breach: Breach = (stores) => stores) =>
  (): RequestStores => {
    const database = createMemoryDatabase();
    const addRequest = async (request: AccessRequest) => void database.requests.set(request.id, request);
    return { ...breach(createMemoryStores(database), database), addRequest };
  };

const listRequestsWithStatus = ({ requests }: MemoryDatabase, status: RequestStatus): readonly AccessRequest[] =>
  [...requests.values()].filter((request) => request.status === status);

const breaches: Record<keyof typeof decidedRequestsContract, Breach> = {
  'the decision about a grant sees the pending requests of the client for the collection': update.mapDecisionInput(
    ([states], _args, database) => [
      states.map((state) => ({
        ...state,
        requests: listRequestsWithStatus(database, 'pending').filter(
          ({ collectionId }) => collectionId === state.collection,
        ),
      })),
    ],
  ),
  // Includes only the requests of members that an administrator added.
  'the decision about a group sees each pending request of its added and claiming members once':
    update.mapDecisionInput(([states], _args, { groupMembers }) => [
      states.map((state) => ({
        ...state,
        requests: state.requests.filter(
          ({ profileId }) => state.group === null || groupMembers.get(state.group.id)?.has(profileId),
        ),
      })),
    ]),
  'a decision does not see requests that were already decided': update.mapDecisionInput(([states], _args, database) => [
    states.map((state) => ({
      ...state,
      requests: [...state.requests, ...listRequestsWithStatus(database, 'withdrawn')],
    })),
  ]),
  'the decision about members sees the pending requests of each member for the collections of the group':
    updateMembers.mapDecisionInput(([group, states]) => [
      group,
      states.map((state) => ({ ...state, requests: states.flatMap(({ requests }) => requests) })),
    ]),
  'an expired grant of a group does not count for its members': updateMembers.mapArguments(
    ([id, profiles, , decide]) => [id, profiles, 0, decide],
  ),
  'the decision about claims sees each pending request for the collections of the claimed groups once':
    syncClaims.mapDecisionInput(([before, requests], [, claims]) => [before, claims.names.flatMap(() => requests)]),
  'a grant of a claimed group that has expired by the time the token is seen does not count': syncClaims.mapArguments(
    ([profile, claims, decide]) => [profile, { ...claims, seenAt: 0 }, decide],
  ),
  'the decision about renaming a group sees the pending requests for its collections by profiles whose tokens contain the new name':
    updateGroup.mapArguments(([id, decide, newName]) => [id, decide, newName && { ...newName, now: 0 }]),
  'granting, changing members, claiming groups and renaming a group close the requests that they decide':
    syncClaims.mapDecision((change) => ({ ...change, requests: [] })),
  'a decision that throws does not change the requests': update.mapDecisionInput(([states], _args, { requests }) => {
    for (const { id } of states.flatMap((state) => state.requests)) requests.delete(id);
    return [states];
  }),
  'removing a profile removes only its own requests': breachesOf('profiles').remove.restoreAfter(({ requests }) =>
    saveEntries(requests),
  ),
  'removing a collection removes only the requests for that collection': breachesOf('collections').remove.restoreAfter(
    ({ requests }) => saveEntries(requests),
  ),
};

const sabotages = Object.fromEntries(
  Object.entries(breaches).map(([sentence, breach]) => [sentence, createStores(breach)]),
) as unknown as Sabotages<typeof decidedRequestsContract, RequestStores>;

describe('the memory stores, on decided requests', () => {
  proveContract(decidedRequestsContract, sabotages, createStores());
});
