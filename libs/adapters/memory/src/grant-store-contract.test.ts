import { aProfile, grantStoreContract } from '@portico/contracts';
import type { GrantChange, GrantState, ProfileId } from '@portico/domain';
import { breachesOf, breaking } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant, statesIn } from '../test/stale-grant.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { clientsOf, collectionsOf, update } = breachesOf('grants');
const { byUid } = breachesOf('callers');

/** Decisions that see a changed state. */
const misleading = (alter: (state: GrantState) => Partial<GrantState>) =>
  update.misleading(([states]) => [states.map((state) => ({ ...state, ...alter(state) }))]);

/** A side effect after each pair that is granted, or after each that is revoked. */
const followed = (change: 'put' | 'remove', by: (database: MemoryDatabase, client: ProfileId) => unknown) =>
  update.instead(async ([pairs, decide], right, database) => {
    let changed: GrantChange['remove'] = [];
    await right.update(pairs, (states) => {
      const decided = decide(states);
      changed = decided[change];
      return decided;
    });
    for (const { grantee } of changed ?? []) by(database, grantee.id as ProfileId);
  });

proveStores('the memory grant store', grantStoreContract, {
  'the decision of a grant sees the client, the name of the collection and the existing grant': misleading(() => ({
    grant: null,
  })),
  'the decision of a grant sees null for a missing client or collection': misleading(({ collectionName }) => ({
    collectionName: collectionName ?? '',
  })),
  'a grant is seen by every read once its promise is fulfilled': update.instead(
    async ([pairs, decide], right, database) => {
      const change = decide(statesIn(database, pairs));
      setImmediate(() => void right.update(pairs, () => change));
    },
  ),
  'a grant is for its pair alone': followed('put', ({ collections, grants }, client) => {
    for (const id of collections.keys()) grants.get(client)?.set(id, { grantedAt: 0, expiresAt: null });
  }),
  'a grant writes its effects': update.withoutEffects(),
  'a grant rethrows what its decision throws, and changes nothing': update.leaking(),
  'of concurrent grants for one pair, exactly one sees no grant': staleGrant,
  'a grant does not outlive a client or collection that is removed concurrently': staleGrant,
  'a grant makes the grants epoch of the client grow': followed('put', ({ grantEpochs }) => grantEpochs.clear()),
  'the decision of a revocation sees the client, the name of the collection and the existing grant': misleading(
    ({ client }) => ({ client: client && { ...client, tier: 'gold' } }),
  ),
  'the decision of a revocation sees null for a missing client or collection': misleading(({ client }) => ({
    client: client ?? aProfile(),
  })),
  'no read sees a grant once its revocation is fulfilled': byUid.returning(
    (row, [, target]) => row && { ...row, granted: target !== null },
  ),
  'a revocation leaves every other grant alone': followed('remove', ({ grants }, client) =>
    grants.get(client)?.clear(),
  ),
  'a revocation writes its effects': update.withoutEffects(),
  'a revocation rethrows what its decision throws, and keeps the grant': update.instead(
    ([pairs, decide], right, database) => {
      const states = statesIn(database, pairs);
      for (const { grantee, collection } of pairs) database.grants.get(grantee.id)?.delete(collection);
      return right.update(pairs, () => decide(states));
    },
  ),
  'of concurrent revocations for one pair, exactly one sees the grant': update.stale(),
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
  'the collections of a client are all collections, each with its ways of access, in the order of lists':
    collectionsOf.returning(
      (access) => access && { ...access, collections: access.collections.filter(({ ways }) => ways.length > 0) },
    ),
  'a missing profile has no list of collections': collectionsOf.instead(
    async ([client, now], right) => (await right.collectionsOf(client, now)) ?? { client: aProfile(), collections: [] },
  ),
  'the clients of a collection are those with a grant for it, by e-mail': clientsOf.returning(
    (clients) => clients && [...clients].sort((a, b) => a.ways[0].grantedAt - b.ways[0].grantedAt),
  ),
  'a collection without grants has no clients, and a missing one has no list of them': clientsOf.instead(
    async ([collection, now], right) => (await right.clientsOf(collection, now)) ?? [],
  ),
});
