import { type AskedStores, decidedRequestsContract, type Sabotages } from '@portico/contracts';
import type { AccessRequest, RequestStatus } from '@portico/domain';
import { describe } from 'vitest';
import { type Breach, breachesOf, restoring } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const { update } = breachesOf('grants');
const { followClaims, update: updateGroup, updateMembers } = breachesOf('groups');

const askedStores =
  (breach: Breach = (stores) => stores) =>
  (): AskedStores => {
    const database = createMemoryDatabase();
    const ask = async (request: AccessRequest) => void database.requests.set(request.id, request);
    return { ...breach(createMemoryStores(database), database), ask };
  };

/** Requests of other states. */
const ofStatus = ({ requests }: MemoryDatabase, status: RequestStatus): readonly AccessRequest[] =>
  [...requests.values()].filter((request) => request.status === status);

const breaches: Record<keyof typeof decidedRequestsContract, Breach> = {
  'the decision of a grant sees the pending requests of the client for the collection': update.misleading(
    ([states], _asked, database) => [
      states.map((state) => ({
        ...state,
        requests: ofStatus(database, 'pending').filter(({ collectionId }) => collectionId === state.collection),
      })),
    ],
  ),
  // Looks at members by hand alone.
  'the decision for a group sees the pending requests of its members, by hand and by claim, each once':
    update.misleading(([states], _asked, { groupMembers }) => [
      states.map((state) => ({
        ...state,
        requests: state.requests.filter(
          ({ profileId }) => state.group === null || groupMembers.get(state.group.id)?.has(profileId),
        ),
      })),
    ]),
  'a decision sees no request that was decided before': update.misleading(([states], _asked, database) => [
    states.map((state) => ({ ...state, requests: [...state.requests, ...ofStatus(database, 'withdrawn')] })),
  ]),
  'the decision about members sees the pending requests of each for what the group has': updateMembers.misleading(
    ([group, states]) => [
      group,
      states.map((state) => ({ ...state, requests: states.flatMap(({ requests }) => requests) })),
    ],
  ),
  'what a group has no longer does not count for its members': updateMembers.asking(([id, profiles, , decide]) => [
    id,
    profiles,
    0,
    decide,
  ]),
  'what a token says sees the pending requests for what the claimed groups have, each once': followClaims.misleading(
    ([before, requests], [, claims]) => [before, claims.names.flatMap(() => requests)],
  ),
  'what a claimed group has no longer, when the token is seen, does not count': followClaims.asking(
    ([profile, claims, decide]) => [profile, { ...claims, seenAt: 0 }, decide],
  ),
  'a renaming sees the pending requests, for what the group has then, of those whose tokens name the new name':
    updateGroup.asking(([id, decide, renaming]) => [id, decide, renaming && { ...renaming, now: 0 }]),
  'a grant, a change of members, a token and a renaming close the requests that they decide': followClaims.deciding(
    (change) => ({ ...change, requests: [] }),
  ),
  'a decision that throws leaves the requests as they were': update.misleading(([states], _asked, { requests }) => {
    for (const { id } of states.flatMap((state) => state.requests)) requests.delete(id);
    return [states];
  }),
  'a removal of a profile removes its requests, and those of no other': breachesOf('profiles').remove.leaving(
    ({ requests }) => restoring(requests),
  ),
  'a removal of a collection removes the requests for it, and for no other': breachesOf('collections').remove.leaving(
    ({ requests }) => restoring(requests),
  ),
};

const sabotages = Object.fromEntries(
  Object.entries(breaches).map(([sentence, breach]) => [sentence, askedStores(breach)]),
) as unknown as Sabotages<typeof decidedRequestsContract, AskedStores>;

describe('the memory stores, of requests', () => {
  proveContract(decidedRequestsContract, sabotages, askedStores());
});
