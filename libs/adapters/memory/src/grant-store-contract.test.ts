import { aProfile, grantStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { GrantState, Pair, ProfileId } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { stateOf } from './memory-grant-store.ts';
import { createMemoryStores } from './memory-stores.ts';

const statesIn = (database: MemoryDatabase, pairs: readonly Pair[]): readonly GrantState[] =>
  pairs.map((pair) => stateOf(database, pair));

/** Decisions that see a changed state. */
const misleading = (alter: (state: GrantState) => GrantState) =>
  breaking('grants', (right) => ({
    update: (pairs, decide) => right.update(pairs, (states) => decide(states.map(alter))),
  }));

/** A side effect after each pair that is granted, or after each that is revoked. */
const followed = (change: 'put' | 'remove', by: (database: MemoryDatabase, client: ProfileId) => unknown) =>
  breaking('grants', (right, _stores, database) => ({
    update: async (pairs, decide) => {
      let changed: readonly Pair[] = [];
      await right.update(pairs, (states) => {
        const decided = decide(states);
        changed = decided[change] ?? [];
        return decided;
      });
      for (const { grantee } of changed) by(database, grantee.id as ProfileId);
    },
  }));

/** A grant that decides on stale state. */
const staleGrant = breaking('grants', (_right, _stores, database) => ({
  update: async (pairs, decide) => {
    const { put = [] } = decide(statesIn(database, pairs));
    await pause();
    for (const { grantee, collection, grantedAt, expiresAt } of put)
      database.grants.set(grantee.id, new Map([[collection, { grantedAt, expiresAt }]]));
  },
}));

const silent = breaking('grants', (right) => ({ update: (pairs, decide) => right.update(pairs, silently(decide)) }));

const sabotages: Sabotages<typeof grantStoreContract, Stores> = {
  'the decision of a grant sees the client, the name of the collection and the existing grant': misleading((state) => ({
    ...state,
    grant: null,
  })),
  'the decision of a grant sees null for a missing client or collection': misleading((state) => ({
    ...state,
    collectionName: state.collectionName ?? '',
  })),
  'a grant is seen by every read once its promise is fulfilled': breaking('grants', (right, _stores, database) => ({
    update: async (pairs, decide) => {
      const change = decide(statesIn(database, pairs));
      setImmediate(() => void right.update(pairs, () => change));
    },
  })),
  'a grant is for its pair alone': followed('put', ({ collections, grants }, client) => {
    for (const id of collections.keys()) grants.get(client)?.set(id, { grantedAt: 0, expiresAt: null });
  }),
  'a grant writes its effects': silent,
  'a grant rethrows what its decision throws, and changes nothing': breaking('grants', (right, stores) => ({
    update: (pairs, decide) => leaking(stores, right.update(pairs, decide)),
  })),
  'of concurrent grants for one pair, exactly one sees no grant': staleGrant,
  'a grant does not outlive a client or collection that is removed concurrently': staleGrant,
  'a grant makes the grants epoch of the client grow': followed('put', ({ grantEpochs }) => grantEpochs.clear()),
  'the decision of a revocation sees the client, the name of the collection and the existing grant': misleading(
    (state) => ({ ...state, client: state.client && { ...state.client, tier: 'gold' } }),
  ),
  'the decision of a revocation sees null for a missing client or collection': misleading((state) => ({
    ...state,
    client: state.client ?? aProfile(),
  })),
  'no read sees a grant once its revocation is fulfilled': breaking('callers', (right) => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      return row && { ...row, granted: target !== null };
    },
  })),
  'a revocation leaves every other grant alone': followed('remove', ({ grants }, client) =>
    grants.get(client)?.clear(),
  ),
  'a revocation writes its effects': silent,
  'a revocation rethrows what its decision throws, and keeps the grant': breaking(
    'grants',
    (right, _stores, database) => ({
      update: (pairs, decide) => {
        const states = statesIn(database, pairs);
        for (const { grantee, collection } of pairs) database.grants.get(grantee.id)?.delete(collection);
        return right.update(pairs, () => decide(states));
      },
    }),
  ),
  'of concurrent revocations for one pair, exactly one sees the grant': breaking(
    'grants',
    (right, _stores, database) => ({
      update: async (pairs, decide) => {
        const change = decide(statesIn(database, pairs));
        await pause();
        return right.update(pairs, () => change);
      },
    }),
  ),
  'a revocation makes the grants epoch of the client grow': followed('remove', ({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a revoked grant can be granted again': breaking('grants', (right) => {
    const times = new Map<string, number>();
    return {
      update: (pairs, decide) =>
        right.update(pairs, (states) => {
          const change = decide(states);
          const put = change.put?.map((grant) => {
            const key = grant.grantee.id + grant.collection;
            const grantedAt = times.get(key) ?? grant.grantedAt;
            times.set(key, grantedAt);
            return { ...grant, grantedAt };
          });
          return { ...change, ...(put && { put }) };
        }),
    };
  }),
  'the collections of a client are all collections, each with its ways of access, in the order of lists': breaking(
    'grants',
    (right) => ({
      collectionsOf: async (client, now) => {
        const access = await right.collectionsOf(client, now);
        return access && { ...access, collections: access.collections.filter(({ ways }) => ways.length > 0) };
      },
    }),
  ),
  'a missing profile has no list of collections': breaking('grants', (right) => ({
    collectionsOf: async (client, now) =>
      (await right.collectionsOf(client, now)) ?? { client: aProfile(), collections: [] },
  })),
  'the clients of a collection are those with a grant for it, by e-mail': breaking('grants', (right) => ({
    clientsOf: async (collection, now) => {
      const clients = await right.clientsOf(collection, now);
      return clients && [...clients].sort((a, b) => a.ways[0].grantedAt - b.ways[0].grantedAt);
    },
  })),
  'a collection without grants has no clients, and a missing one has no list of them': breaking('grants', (right) => ({
    clientsOf: async (collection, now) => (await right.clientsOf(collection, now)) ?? [],
  })),
};

describe('the memory grant store', () => {
  proveContract(grantStoreContract, sabotages, createMemoryStores);
});
