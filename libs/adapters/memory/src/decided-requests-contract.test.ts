import { type AskedStores, decidedRequestsContract, type Sabotages, type Stores } from '@portico/contracts';
import type { AccessRequest, GrantState, GroupStore, MemberState, RequestStatus } from '@portico/domain';
import { describe } from 'vitest';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

type Breach = (subject: AskedStores) => AskedStores;

const askedStores = (
  broken: (right: Stores, database: MemoryDatabase) => Partial<AskedStores> = () => ({}),
): AskedStores => {
  const database = createMemoryDatabase();
  const stores = createMemoryStores(database);
  const ask = async (request: AccessRequest) => void database.requests.set(request.id, request);
  return { ...stores, ask, ...broken(stores, database) };
};

/** Decisions of grants that see other states. */
const misleading =
  (alter: (states: readonly GrantState[], database: MemoryDatabase) => readonly GrantState[]): Breach =>
  () =>
    askedStores(({ grants }, database) => ({
      grants: {
        ...grants,
        update: (pairs, decide) => grants.update(pairs, (states) => decide(alter(states, database))),
      },
    }));

const breakingGroups =
  (broken: (right: GroupStore, database: MemoryDatabase) => Partial<GroupStore>): Breach =>
  () =>
    askedStores(({ groups }, database) => ({ groups: { ...groups, ...broken(groups, database) } }));

const seeing = (
  now: (given: number) => number,
  alter: (states: readonly MemberState[]) => readonly MemberState[] = (states) => states,
): Breach =>
  breakingGroups((right) => ({
    updateMembers: (id, profiles, at, decide) =>
      right.updateMembers(id, profiles, now(at), (group, states) => decide(group, alter(states))),
  }));

/** Requests of other states. */
const ofStatus = ({ requests }: MemoryDatabase, status: RequestStatus): readonly AccessRequest[] =>
  [...requests.values()].filter((request) => request.status === status);

/** Puts the requests back that a removal took. */
const restoring = async ({ requests }: MemoryDatabase, remove: () => Promise<void>): Promise<void> => {
  const before = [...requests.values()];
  await remove();
  for (const request of before) requests.set(request.id, request);
};

const sabotages: Sabotages<typeof decidedRequestsContract, AskedStores> = {
  'the decision of a grant sees the pending requests of the client for the collection': misleading((states, database) =>
    states.map((state) => ({
      ...state,
      requests: ofStatus(database, 'pending').filter(({ collectionId }) => collectionId === state.collection),
    })),
  ),
  // Looks at members by hand alone.
  'the decision for a group sees the pending requests of its members, by hand and by claim, each once': misleading(
    (states, { groupMembers }) =>
      states.map((state) => ({
        ...state,
        requests: state.requests.filter(
          ({ profileId }) => state.group === null || groupMembers.get(state.group.id)?.has(profileId),
        ),
      })),
  ),
  'a decision sees no request that was decided before': misleading((states, database) =>
    states.map((state) => ({ ...state, requests: [...state.requests, ...ofStatus(database, 'withdrawn')] })),
  ),
  'the decision about members sees the pending requests of each for what the group has': seeing(
    (now) => now,
    (states) => states.map((state) => ({ ...state, requests: states.flatMap(({ requests }) => requests) })),
  ),
  'what a group has no longer does not count for its members': seeing(() => 0),
  'what a token says sees the pending requests for what the claimed groups have, each once': breakingGroups(
    (right) => ({
      followClaims: (profile, claims, decide) =>
        right.followClaims(profile, claims, (before, requests) =>
          decide(
            before,
            claims.names.flatMap(() => requests),
          ),
        ),
    }),
  ),
  'what a claimed group has no longer, when the token is seen, does not count': breakingGroups((right) => ({
    followClaims: (profile, claims, decide) => right.followClaims(profile, { ...claims, seenAt: 0 }, decide),
  })),
  'a renaming sees the pending requests, for what the group has then, of those whose tokens name the new name':
    breakingGroups((right) => ({
      update: (id, decide, renaming) => right.update(id, decide, renaming && { ...renaming, now: 0 }),
    })),
  'a grant, a change of members, a token and a renaming close the requests that they decide': breakingGroups(
    (right) => ({
      followClaims: (profile, claims, decide) =>
        right.followClaims(profile, claims, (before, requests) => ({ ...decide(before, requests), requests: [] })),
    }),
  ),
  'a decision that throws leaves the requests as they were': () =>
    askedStores(({ grants }, { requests }) => ({
      grants: {
        ...grants,
        update: (pairs, decide) =>
          grants.update(pairs, (states) => {
            for (const request of states.flatMap((state) => state.requests)) requests.delete(request.id);
            return decide(states);
          }),
      },
    })),
  'a removal of a profile removes its requests, and those of no other': () =>
    askedStores(({ profiles }, database) => ({
      profiles: { ...profiles, remove: (...removal) => restoring(database, () => profiles.remove(...removal)) },
    })),
  'a removal of a collection removes the requests for it, and for no other': () =>
    askedStores(({ collections }, database) => ({
      collections: {
        ...collections,
        remove: (...removal) => restoring(database, () => collections.remove(...removal)),
      },
    })),
};

describe('the memory stores, of requests', () => {
  proveContract(decidedRequestsContract, sabotages, () => askedStores());
});
