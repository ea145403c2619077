import type { ClientAccess, GrantState, GrantStore, Pair } from '@portico/domain';
import { sortInListOrder } from './memory-collection-store.ts';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase, touchGrants } from './memory-database.ts';
import { listLiveAccessGrants, listLiveRules, membershipIn } from './memory-memberships.ts';

export const createMemoryGrantStore = (database: MemoryDatabase): GrantStore => {
  const { profiles, collections, grants, requests } = database;

  return {
    async update(pairs, decide) {
      const states = pairs.map((pair) => stateOf(database, pair));
      const change = decide(states);
      const { put = [], remove = [] } = change;
      for (const pair of put) rejectDangling(stateOf(database, pair));
      commit(database, change, () => {
        for (const { grantee, collection, grantedAt, expiresAt, rule } of put)
          grants.set(grantee.id, new Map(grants.get(grantee.id)).set(collection, { grantedAt, expiresAt, rule }));
        for (const { grantee, collection } of remove) grants.get(grantee.id)?.delete(collection);
        advanceEpochs(database, [...put, ...remove]);
        for (const request of change.requests ?? []) requests.set(request.id, copyFrozen(request));
      });
    },

    async listCollections(id, now) {
      const client = profiles.get(id);
      if (!client) return null;
      return {
        client,
        collections: sortInListOrder([...collections.values()]).map((collection) => ({
          id: collection.id,
          name: collection.name,
          description: collection.description,
          grants: listLiveAccessGrants(database, id, collection.id, now),
        })),
      };
    },

    async listClients(collection, now) {
      if (!collections.has(collection)) return null;
      return [...profiles.values()]
        .flatMap((profile): ClientAccess[] => {
          const [firstGrant, ...otherGrants] = listLiveAccessGrants(database, profile.id, collection, now);
          return firstGrant ? [{ profile, grants: [firstGrant, ...otherGrants] }] : [];
        })
        .sort((a, b) => compareCodePoints(a.profile.email, b.profile.email));
    },

    async listRules(profile, ids, now) {
      const rules = ids.map((id) => [id, listLiveRules(database, profile, id, now)] as const);
      return new Map(rules.filter(([, list]) => list.length > 0));
    },
  };
};

/** Returns the state to pass to a decision about the pair. */
export const stateOf = (database: MemoryDatabase, { grantee, collection }: Pair): GrantState => {
  const group = grantee.kind === 'group' ? (database.groups.get(grantee.id) ?? null) : null;
  return {
    grantee,
    collection,
    client: grantee.kind === 'profile' ? (database.profiles.get(grantee.id) ?? null) : null,
    group,
    collectionName: database.collections.get(collection)?.name ?? null,
    lifecycle: database.collections.get(collection)?.lifecycle.state ?? null,
    grant: database.grants.get(grantee.id)?.get(collection) ?? null,
    requests: [...database.requests.values()].filter(
      (request) =>
        request.status === 'pending' &&
        request.collectionId === collection &&
        (group ? membershipIn(database, request.profileId, group) !== null : request.profileId === grantee.id),
    ),
  };
};

const rejectDangling = ({ client, group, collectionName }: GrantState): void => {
  if ((!client && !group) || collectionName === null) throw new Error('A grant needs a grantee and a collection.');
};

const advanceEpochs = (database: MemoryDatabase, pairs: readonly Pair[]): void => {
  for (const id of new Set(pairs.flatMap(({ grantee }) => (grantee.kind === 'profile' ? [grantee.id] : []))))
    touchGrants(database, id);
  if (pairs.some(({ grantee }) => grantee.kind === 'group')) database.groupsEpoch += 1;
};
