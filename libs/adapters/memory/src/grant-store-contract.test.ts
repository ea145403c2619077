import { aProfile, grantStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CollectionId, GrantState, GrantStore, ProfileId } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const stateIn = (database: MemoryDatabase, client: ProfileId, collection: CollectionId): GrantState => ({
  client: database.profiles.get(client) ?? null,
  collectionName: database.collections.get(collection)?.name ?? null,
  grantedAt: database.grants.get(client)?.get(collection) ?? null,
});

/** Decisions that see a changed state. */
const misleading = (method: 'grant' | 'revoke', alter: (state: GrantState) => GrantState) =>
  breaking('grants', (right): Partial<GrantStore> =>
    method === 'grant'
      ? { grant: (client, collection, decide) => right.grant(client, collection, (state) => decide(alter(state))) }
      : { revoke: (client, collection, decide) => right.revoke(client, collection, (state) => decide(alter(state))) },
  );

/** A grant or a revocation with a side effect afterwards. */
const followed = (
  method: 'grant' | 'revoke',
  by: (database: MemoryDatabase, client: ProfileId, collection: CollectionId) => unknown,
) =>
  breaking('grants', (right, _stores, database) => ({
    [method]: async (client: ProfileId, collection: CollectionId, decide: Parameters<GrantStore['grant']>[2]) => {
      await right[method](client, collection, decide);
      by(database, client, collection);
    },
  }));

/** A grant that decides on stale state. */
const staleGrant = breaking('grants', (_right, _stores, database) => ({
  grant: async (client, collection, decide) => {
    const { grantedAt } = decide(stateIn(database, client, collection));
    await pause();
    database.grants.set(client, new Map([[collection, grantedAt]]));
  },
}));

const sabotages: Sabotages<typeof grantStoreContract, Stores> = {
  'the decision of a grant sees the client, the name of the collection and the existing grant': misleading(
    'grant',
    (state) => ({ ...state, grantedAt: null }),
  ),
  'the decision of a grant sees null for a missing client or collection': misleading('grant', (state) => ({
    ...state,
    collectionName: state.collectionName ?? '',
  })),
  'a grant is seen by every read once its promise is fulfilled': breaking('grants', (right) => ({
    grant: async (client, collection, decide) => {
      const change = decide({ client: aProfile(), collectionName: '', grantedAt: null });
      setImmediate(() => void right.grant(client, collection, () => change));
    },
  })),
  'a grant is for its pair alone': followed('grant', ({ collections, grants }, client) => {
    for (const id of collections.keys()) grants.get(client)?.set(id, 0);
  }),
  'a grant writes its effects': breaking('grants', (right) => ({
    grant: (client, collection, decide) => right.grant(client, collection, silently(decide)),
  })),
  'a grant rethrows what its decision throws, and changes nothing': breaking('grants', (right, stores) => ({
    grant: (client, collection, decide) => leaking(stores, right.grant(client, collection, decide)),
  })),
  'of concurrent grants for one pair, exactly one sees no grant': staleGrant,
  'a grant does not outlive a client or collection that is removed concurrently': staleGrant,
  'a grant makes the grants epoch of the client grow': followed('grant', ({ grantEpochs }) => grantEpochs.clear()),
  'the decision of a revocation sees the client, the name of the collection and the existing grant': misleading(
    'revoke',
    (state) => ({ ...state, client: state.client && { ...state.client, tier: 'gold' } }),
  ),
  'the decision of a revocation sees null for a missing client or collection': misleading('revoke', (state) => ({
    ...state,
    client: state.client ?? aProfile(),
  })),
  'no read sees a grant once its revocation is fulfilled': breaking('callers', (right) => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      return row && { ...row, granted: target !== null };
    },
  })),
  'a revocation leaves every other grant alone': followed('revoke', ({ grants }, client) =>
    grants.get(client)?.clear(),
  ),
  'a revocation writes its effects': breaking('grants', (right) => ({
    revoke: (client, collection, decide) => right.revoke(client, collection, silently(decide)),
  })),
  'a revocation rethrows what its decision throws, and keeps the grant': breaking(
    'grants',
    (right, _stores, database) => ({
      revoke: (client, collection, decide) => {
        const state = stateIn(database, client, collection);
        database.grants.get(client)?.delete(collection);
        return right.revoke(client, collection, () => decide(state));
      },
    }),
  ),
  'of concurrent revocations for one pair, exactly one sees the grant': breaking(
    'grants',
    (right, _stores, database) => ({
      revoke: async (client, collection, decide) => {
        const effects = decide(stateIn(database, client, collection));
        await pause();
        return right.revoke(client, collection, () => effects);
      },
    }),
  ),
  'a revocation makes the grants epoch of the client grow': followed('revoke', ({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a revoked grant can be granted again': breaking('grants', (right) => {
    const times = new Map<string, number>();
    return {
      grant: (client, collection, decide) =>
        right.grant(client, collection, (state) => {
          const change = decide(state);
          const grantedAt = times.get(client + collection) ?? change.grantedAt;
          times.set(client + collection, grantedAt);
          return { ...change, grantedAt };
        }),
    };
  }),
  'the collections of a client are all collections, each with its grant or null, in the order of lists': breaking(
    'grants',
    (right) => ({
      collectionsOf: async (client) => {
        const access = await right.collectionsOf(client);
        return access && { ...access, collections: access.collections.filter(({ grantedAt }) => grantedAt !== null) };
      },
    }),
  ),
  'a missing profile has no list of collections': breaking('grants', (right) => ({
    collectionsOf: async (client) => (await right.collectionsOf(client)) ?? { client: aProfile(), collections: [] },
  })),
  'the clients of a collection are those with a grant for it, by e-mail': breaking('grants', (right) => ({
    clientsOf: async (collection) => {
      const clients = await right.clientsOf(collection);
      return clients && [...clients].sort((a, b) => a.grantedAt - b.grantedAt);
    },
  })),
  'a collection without grants has no clients, and a missing one has no list of them': breaking('grants', (right) => ({
    clientsOf: async (collection) => (await right.clientsOf(collection)) ?? [],
  })),
};

describe('the memory grant store', () => {
  proveContract(grantStoreContract, sabotages, createMemoryStores);
});
