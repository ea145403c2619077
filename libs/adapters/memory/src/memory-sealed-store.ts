import { type Collection, type Instant, nextChangeAt, type SealedSecrets, type SealedStore } from '@portico/domain';
import { inListOrder } from './memory-collection-store.ts';
import { commit, frozenCopy, type MemoryDatabase } from './memory-database.ts';
import { deadLetter } from './memory-outbox.ts';

export const createMemorySealedStore = (database: MemoryDatabase): SealedStore => ({
  async read() {
    return sealedIn(database);
  },

  async ensurePepper(sealed) {
    database.pepper ??= sealed;
    return database.pepper;
  },

  async resealPepper(before, after) {
    if (database.pepper !== before) return false;
    database.pepper = after;
    return true;
  },

  async reset(decide) {
    const reset = decide(sealedIn(database));
    if (!reset) return;
    commit(database, reset, () => {
      for (const id of reset.collections) {
        const collection = database.collections.get(id);
        if (collection) database.collections.set(id, withoutCredential(collection, reset.at));
      }
      database.catalogEpoch += 1;
      for (const id of reset.mails) deadLetter(database.jobs, id, reset.at, reset.reason);
      if (reset.pepper === null) return;
      database.pepper = reset.pepper;
      database.keys.clear();
      for (const [id, { account }] of database.serviceAccounts) {
        database.serviceAccounts.set(id, frozenCopy({ account, key: null }));
      }
    });
  },
});

const sealedIn = ({ collections, jobs, keys, serviceAccounts, pepper }: MemoryDatabase): SealedSecrets => ({
  collections: inListOrder(
    [...collections.values()].filter(
      ({ storedAuthentication: stored }) => stored != null && stored.sealedValue !== null,
    ),
  ),
  mails: [...jobs.values()].flatMap(({ job: { id, task }, isDeadLetter }) =>
    'sealed' in task && !isDeadLetter ? [{ id, profileId: task.profileId, sealed: task.sealed }] : [],
  ),
  pepper,
  apiKeys: keys.size,
  accountKeys: [...serviceAccounts.values()].filter(({ key }) => key !== null).length,
});

const withoutCredential = (collection: Collection, at: Instant): Collection =>
  frozenCopy({
    ...collection,
    storedAuthentication: collection.storedAuthentication && { ...collection.storedAuthentication, sealedValue: null },
    updatedAt: nextChangeAt(collection.updatedAt, at),
    revision: collection.revision + 1,
  });
