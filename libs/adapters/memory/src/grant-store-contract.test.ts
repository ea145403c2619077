import { aProfile, grantStoreContract } from '@portico/contracts';
import type { GrantChange, GrantState, ProfileId } from '@portico/domain';
import { breachesOf, breakPort } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { staleGrant, statesIn } from '../test/stale-grant.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { listClients, listCollections, update } = breachesOf('grants');
const { findByUid } = breachesOf('callers');

/** Changes each state that is passed to a decision. */
const mapState = (alter: (state: GrantState) => Partial<GrantState>) =>
  update.mapDecisionInput(([states]) => [states.map((state) => ({ ...state, ...alter(state) }))]);

/** Runs a side effect after each grant or after each revocation. */
const runAfterEach = (change: 'put' | 'remove', sideEffect: (database: MemoryDatabase, client: ProfileId) => unknown) =>
  update.replaceWith(async ([pairs, decide], original, database) => {
    let changedPairs: GrantChange['remove'] = [];
    await original.update(pairs, (states) => {
      const decision = decide(states);
      changedPairs = decision[change];
      return decision;
    });
    for (const { grantee } of changedPairs ?? []) sideEffect(database, grantee.id as ProfileId);
  });

proveStores('the memory grant store', grantStoreContract, {
  'the decision about a grant sees the client, the name of the collection and the existing grant': mapState(() => ({
    grant: null,
  })),
  'the decision about a grant sees null if the client or the collection does not exist': mapState(
    ({ collectionName }) => ({
      collectionName: collectionName ?? '',
    }),
  ),
  'every read sees a grant once its promise is fulfilled': update.replaceWith(
    async ([pairs, decide], original, database) => {
      const change = decide(statesIn(database, pairs));
      setImmediate(() => void original.update(pairs, () => change));
    },
  ),
  'a grant applies only to its pair': runAfterEach('put', ({ collections, grants }, client) => {
    for (const id of collections.keys()) grants.get(client)?.set(id, { grantedAt: 0, expiresAt: null, rule: null });
  }),
  'a grant writes its effects': update.dropEffects(),
  'a grant rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'when the same pair is granted concurrently, only one decision sees no grant': staleGrant,
  'a grant is not kept if its client or collection is removed concurrently': staleGrant,
  'a grant increases the grants epoch of the client': runAfterEach('put', ({ grantEpochs }) => grantEpochs.clear()),
  'the decision about a revocation sees the client, the name of the collection and the existing grant': mapState(
    ({ client }) => ({ client: client && { ...client, tier: 'gold' } }),
  ),
  'the decision about a revocation sees null if the client or the collection does not exist': mapState(
    ({ client }) => ({
      client: client ?? aProfile(),
    }),
  ),
  'no read sees a grant once the promise of its revocation is fulfilled': findByUid.mapResult(
    (row, [, target]) => row && { ...row, hasGrant: target !== null },
  ),
  'a revocation does not affect other grants': runAfterEach('remove', ({ grants }, client) =>
    grants.get(client)?.clear(),
  ),
  'a revocation writes its effects': update.dropEffects(),
  'a revocation rethrows an error from the decision and keeps the grant': update.replaceWith(
    ([pairs, decide], original, database) => {
      const states = statesIn(database, pairs);
      for (const { grantee, collection } of pairs) database.grants.get(grantee.id)?.delete(collection);
      return original.update(pairs, () => decide(states));
    },
  ),
  'when the same grant is revoked concurrently, only one decision sees it': update.applyStaleDecision(),
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
  "the collections of a client are all collections in list order, each with the client's grants":
    listCollections.mapResult(
      (access) => access && { ...access, collections: access.collections.filter(({ grants }) => grants.length > 0) },
    ),
  'a missing profile has no list of collections': listCollections.replaceWith(
    async ([client, now], original) =>
      (await original.listCollections(client, now)) ?? { client: aProfile(), collections: [] },
  ),
  'the clients of a collection are those with a grant for it, ordered by email': listClients.mapResult(
    (clients) => clients && [...clients].sort((a, b) => a.grants[0].grantedAt - b.grants[0].grantedAt),
  ),
  'a collection without grants has an empty list of clients, and a missing collection has no list':
    listClients.replaceWith(async ([collection, now], original) => (await original.listClients(collection, now)) ?? []),
});
