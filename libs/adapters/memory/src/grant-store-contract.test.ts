import { aProfile, grantStoreContract } from '@portico/contracts';
import type { GrantChange, GrantState, ProfileId } from '@portico/domain';
import { breachesOf, breakPort } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant, statesIn } from '../test/stale-grant.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { clientsOf, collectionsOf, update } = breachesOf('grants');
const { byUid } = breachesOf('callers');

/** Changes each state that is passed to a decision. */
const mapState = (alter: (state: GrantState) => Partial<GrantState>) =>
  update.mapDecisionInput(([states]) => [states.map((state) => ({ ...state, ...alter(state) }))]);

/** Runs a side effect after each grant or after each revocation. */
const runAfterEach = (change: 'put' | 'remove', by: (database: MemoryDatabase, client: ProfileId) => unknown) =>
  update.replaceWith(async ([pairs, decide], original, database) => {
    let changed: GrantChange['remove'] = [];
    await original.update(pairs, (states) => {
      const decision = decide(states);
      changed = decision[change];
      return decision;
    });
    for (const { grantee } of changed ?? []) by(database, grantee.id as ProfileId);
  });

proveStores('the memory grant store', grantStoreContract, {
  'the decision about a grant sees the client, the name of the collection and the existing grant': mapState(() => ({
    grant: null,
  })),
  'the decision about a grant sees null for a missing client or collection': mapState(({ collectionName }) => ({
    collectionName: collectionName ?? '',
  })),
  'a grant is seen by every read once its promise is fulfilled': update.replaceWith(
    async ([pairs, decide], original, database) => {
      const change = decide(statesIn(database, pairs));
      setImmediate(() => void original.update(pairs, () => change));
    },
  ),
  'a grant applies to its pair only': runAfterEach('put', ({ collections, grants }, client) => {
    for (const id of collections.keys()) grants.get(client)?.set(id, { grantedAt: 0, expiresAt: null });
  }),
  'a grant writes its effects': update.withoutEffects(),
  'a grant rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'of concurrent grants for one pair, exactly one sees no grant': staleGrant,
  'a grant does not outlive a client or collection that is removed concurrently': staleGrant,
  'a grant increases the grants epoch of the client': runAfterEach('put', ({ grantEpochs }) => grantEpochs.clear()),
  'the decision about a revocation sees the client, the name of the collection and the existing grant': mapState(
    ({ client }) => ({ client: client && { ...client, tier: 'gold' } }),
  ),
  'the decision about a revocation sees null for a missing client or collection': mapState(({ client }) => ({
    client: client ?? aProfile(),
  })),
  'no read sees a grant once its revocation is fulfilled': byUid.mapResult(
    (row, [, target]) => row && { ...row, granted: target !== null },
  ),
  'a revocation does not affect other grants': runAfterEach('remove', ({ grants }, client) =>
    grants.get(client)?.clear(),
  ),
  'a revocation writes its effects': update.withoutEffects(),
  'a revocation rethrows an error from the decision and keeps the grant': update.replaceWith(
    ([pairs, decide], original, database) => {
      const states = statesIn(database, pairs);
      for (const { grantee, collection } of pairs) database.grants.get(grantee.id)?.delete(collection);
      return original.update(pairs, () => decide(states));
    },
  ),
  'of concurrent revocations for one pair, exactly one sees the grant': update.applyStaleDecision(),
  'a revocation increases the grants epoch of the client': runAfterEach('remove', ({ grantEpochs }) =>
    grantEpochs.clear(),
  ),
  'a revoked grant can be granted again': breakPort('grants', (original) => {
    const times = new Map<string, number>();
    return {
      update: (pairs, decide) =>
        original.update(pairs, (states) => {
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
    collectionsOf.mapResult(
      (access) => access && { ...access, collections: access.collections.filter(({ ways }) => ways.length > 0) },
    ),
  'a missing profile has no list of collections': collectionsOf.replaceWith(
    async ([client, now], original) =>
      (await original.collectionsOf(client, now)) ?? { client: aProfile(), collections: [] },
  ),
  'the clients of a collection are those with a grant for it, by e-mail': clientsOf.mapResult(
    (clients) => clients && [...clients].sort((a, b) => a.ways[0].grantedAt - b.ways[0].grantedAt),
  ),
  'a collection without grants has an empty list of clients, and a missing collection has none': clientsOf.replaceWith(
    async ([collection, now], original) => (await original.clientsOf(collection, now)) ?? [],
  ),
});
