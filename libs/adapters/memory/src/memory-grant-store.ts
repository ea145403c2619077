import type { ClientAccess, CollectionId, GrantState, GrantStore, Instant, ProfileId } from '@portico/domain';
import { inListOrder } from './memory-collection-store.ts';
import { byCodePoints, commit, type MemoryDatabase, touchGrants } from './memory-database.ts';

export const createMemoryGrantStore = (database: MemoryDatabase): GrantStore => {
  const { profiles, collections, grants } = database;

  return {
    async grant(client, collection, decide) {
      const state = stateOf(database, client, collection);
      const change = decide(state);
      if (!state.client || state.collectionName === null) throw new Error('A grant needs a client and a collection.');
      if (state.grantedAt !== null) throw new Error('This pair already has a grant.');
      commit(database, change, () => {
        grants.set(client, new Map(grants.get(client)).set(collection, change.grantedAt));
        touchGrants(database, client);
      });
    },

    async revoke(client, collection, decide) {
      const effects = decide(stateOf(database, client, collection));
      commit(database, effects, () => {
        grants.get(client)?.delete(collection);
        touchGrants(database, client);
      });
    },

    async collectionsOf(id) {
      const client = profiles.get(id);
      if (!client) return null;
      return {
        client,
        collections: inListOrder([...collections.values()]).map((collection) => ({
          id: collection.id,
          name: collection.name,
          description: collection.description,
          grantedAt: grantedAt(database, id, collection.id),
        })),
      };
    },

    async clientsOf(collection) {
      if (!collections.has(collection)) return null;
      return [...profiles.values()]
        .map((profile) => ({ profile, grantedAt: grantedAt(database, profile.id, collection) }))
        .filter((access): access is ClientAccess => access.grantedAt !== null)
        .sort((a, b) => byCodePoints(a.profile.email, b.profile.email));
    },
  };
};

const grantedAt = ({ grants }: MemoryDatabase, client: ProfileId, collection: CollectionId): Instant | null =>
  grants.get(client)?.get(collection) ?? null;

const stateOf = (database: MemoryDatabase, client: ProfileId, collection: CollectionId): GrantState => ({
  client: database.profiles.get(client) ?? null,
  collectionName: database.collections.get(collection)?.name ?? null,
  grantedAt: grantedAt(database, client, collection),
});
