import type { CredentialStore, StoredCredential } from '@portico/domain';
import { requireCollection } from './memory-collection-store.ts';
import { commit, compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryCredentialStore = (database: MemoryDatabase): CredentialStore => ({
  list: async (id) => database.credentials.get(id) ?? [],

  async update(id, decide) {
    const current = requireCollection(database, id);
    const change = decide(current, database.credentials.get(id) ?? []);
    if (!change) return current;
    const credentials = copyFrozen(sortByScheme(change.credentials));
    const collection = copyFrozen({ ...change.collection, credentialSchemes: credentials.map(({ scheme }) => scheme) });
    commit(database, change, () => {
      database.collections.set(id, collection);
      database.credentials.set(id, credentials);
      database.catalogEpoch += 1;
    });
    return collection;
  },
});

const sortByScheme = (credentials: readonly StoredCredential[]): readonly StoredCredential[] =>
  credentials.toSorted((a, b) => compareCodePoints(a.scheme, b.scheme));
