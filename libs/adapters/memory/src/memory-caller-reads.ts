import type { CallerReads, CallerRow, CollectionId, Profile } from '@portico/domain';
import type { MemoryDatabase } from './memory-database.ts';
import { limitsOf } from './memory-limit-store.ts';
import { withUid } from './memory-profile-store.ts';

export const createMemoryCallerReads = (database: MemoryDatabase): CallerReads => ({
  async byClientId(clientId, target) {
    const profile = [...database.profiles.values()].find((candidate) => candidate.clientId === clientId);
    return profile ? rowOf(database, profile, target) : null;
  },

  async byUid(uid, target) {
    const profile = withUid(database, uid);
    return profile && rowOf(database, profile, target);
  },
});

const rowOf = (database: MemoryDatabase, profile: Profile, target: CollectionId | null): CallerRow => ({
  profile,
  key: database.keys.get(profile.id) ?? null,
  limits: limitsOf(database, profile),
  epochs: {
    grants: database.grantEpochs.get(profile.id) ?? 0,
    catalog: database.catalogEpoch,
    embeddings: database.lastSequence,
  },
  target: (target && database.collections.get(target)) ?? null,
  granted: target !== null && (database.grants.get(profile.id)?.has(target) ?? false),
});
