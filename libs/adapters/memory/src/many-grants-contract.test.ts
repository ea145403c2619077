import { aGroup, manyGrantsContract, type Sabotages, type Stores } from '@portico/contracts';
import type { AccessWay, ClientAccess, GrantChange, GrantState, Pair } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { type MemoryDatabase, touchGrants } from './memory-database.ts';
import { stateOf } from './memory-grant-store.ts';
import { waysOf } from './memory-memberships.ts';
import { createMemoryStores } from './memory-stores.ts';

const statesIn = (database: MemoryDatabase, pairs: readonly Pair[]): readonly GrantState[] =>
  pairs.map((pair) => stateOf(database, pair));

/** Decisions that see other states. */
const misleading = (
  alter: (states: readonly GrantState[], database: MemoryDatabase, pairs: readonly Pair[]) => readonly GrantState[],
) =>
  breaking('grants', (right, _stores, database) => ({
    update: (pairs, decide) => right.update(pairs, (states) => decide(alter(states, database, pairs))),
  }));

/** Changes of which only a part is stored. */
const storing = (part: (change: GrantChange) => Pick<GrantChange, 'put' | 'remove'>) =>
  breaking('grants', (right) => ({
    update: (pairs, decide) =>
      right.update(pairs, (states) => {
        const change = decide(states);
        return { ...change, put: [], remove: [], ...part(change) };
      }),
  }));

/** A side effect after each update. */
const followed = (by: (database: MemoryDatabase, pairs: readonly Pair[]) => unknown) =>
  breaking('grants', (right, _stores, database) => ({
    update: async (pairs, decide) => {
      await right.update(pairs, decide);
      by(database, pairs);
    },
  }));

const ofProfiles = (pairs: readonly Pair[]): readonly Pair[] =>
  pairs.filter(({ grantee }) => grantee.kind === 'profile');

/** A grant that decides on stale state. */
const staleGrant = breaking('grants', (_right, _stores, database) => ({
  update: async (pairs, decide) => {
    const { put = [] } = decide(statesIn(database, pairs));
    await pause();
    for (const { grantee, collection, grantedAt, expiresAt } of put)
      database.grants.set(grantee.id, new Map([[collection, { grantedAt, expiresAt }]]));
  },
}));

const listingClients = (alter: (clients: readonly ClientAccess[]) => readonly ClientAccess[]) =>
  breaking('grants', (right) => ({
    clientsOf: async (collection, now) => {
      const clients = await right.clientsOf(collection, now);
      return clients && alter(clients);
    },
  }));

const sabotages: Sabotages<typeof manyGrantsContract, Stores> = {
  'a decision sees the state of each pair in their order, of profiles and groups, and of a pair given twice':
    misleading((states) => [
      ...new Map(states.map((state) => [state.grantee.id + state.collection, state] as const)).values(),
    ]),
  'the decision for a group sees null for a missing group or collection': misleading((states) =>
    states.map((state) => ({ ...state, group: state.group ?? aGroup() })),
  ),
  "a grant of a group is not its members' own, nor a member's one of the group": misleading((states, database) =>
    states.map((state) => ({
      ...state,
      grant: state.client ? (waysOf(database, state.client.id).get(state.collection)?.[0] ?? null) : state.grant,
    })),
  ),
  'grants of profiles and groups are put and removed together': storing(({ put = [], remove = [] }) => ({
    put,
    remove: put.length > 0 ? [] : remove,
  })),
  'a grant that is put again takes the place of the one before': breaking('grants', (right) => ({
    update: (pairs, decide) =>
      right.update(pairs, (states) => {
        const change = decide(states);
        const put = change.put?.map((grant, index) => ({
          ...grant,
          expiresAt: states[index]?.grant?.expiresAt ?? grant.expiresAt,
        }));
        return { ...change, ...(put && { put }) };
      }),
  })),
  'an update whose decision throws changes no pair': breaking('grants', (right, stores) => ({
    update: (pairs, decide) => leaking(stores, right.update(pairs, decide)),
  })),
  'ten thousand pairs are decided and stored together': storing(({ put = [], remove = [] }) => ({
    put: put.slice(0, 9_999),
    remove,
  })),
  'an update of no pairs decides, and writes its effects': breaking('grants', (right) => ({
    update: (pairs, decide) => right.update(pairs, silently(decide)),
  })),
  'of concurrent grants for one pair of a group, exactly one sees no grant': staleGrant,
  'a grant does not outlive a group or collection that is removed concurrently': staleGrant,
  'a grant of a group is seen by every read about its members, and about nobody else': followed(
    ({ grants, profiles }, pairs) => {
      for (const id of profiles.keys())
        grants.set(id, new Map(pairs.map(({ collection }) => [collection, { grantedAt: 0, expiresAt: null }])));
    },
  ),
  'no read sees a grant of a group once its revocation is fulfilled': storing(({ put = [], remove = [] }) => ({
    put,
    remove: ofProfiles(remove),
  })),
  'an update makes the grants epoch grow of each profile with a change, and of no other': followed(
    (database, pairs) => {
      for (const { grantee } of pairs) touchGrants(database, grantee.id);
    },
  ),
  'the groups epoch grows with each change of the grants of a group, and of no profile': followed((database, pairs) => {
    if (ofProfiles(pairs).length > 0) database.groupsEpoch += 1;
  }),
  'the ways of a client are its own grant first, then those of its groups by name': listingClients((clients) =>
    clients.map((access) => ({
      ...access,
      ways: [...access.ways].sort((a, b) =>
        nameOf(a).localeCompare(nameOf(b), 'en'),
      ) as unknown as ClientAccess['ways'],
    })),
  ),
  'the clients of a collection are the members of its groups too, each once, by e-mail': listingClients((clients) =>
    clients.flatMap(({ profile, ways }) => ways.map((way) => ({ profile, ways: [way] as const }))),
  ),
};

const nameOf = ({ group }: AccessWay): string => group?.name ?? '';

describe('the memory grant store, of many pairs', () => {
  proveContract(manyGrantsContract, sabotages, createMemoryStores);
});
