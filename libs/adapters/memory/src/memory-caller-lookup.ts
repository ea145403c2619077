import type {
  CallerLookup,
  CallerRow,
  Collection,
  CollectionHead,
  Epochs,
  Instant,
  Profile,
  ProfileId,
  Target,
  TargetPart,
  TargetParts,
} from '@portico/domain';
import type { MemoryDatabase } from './memory-database.ts';
import { liveWays, waysOf } from './memory-memberships.ts';
import { limitsOf } from './memory-limit-store.ts';
import { withUid } from './memory-profile-store.ts';

export const createMemoryCallerLookup = (database: MemoryDatabase): CallerLookup => ({
  async byClientId(clientId, target, now) {
    const profile = [...database.profiles.values()].find((candidate) => candidate.clientId === clientId);
    return profile ? rowOf(database, profile, target, now) : null;
  },

  async byUid(uid, target, now) {
    const profile = withUid(database, uid);
    return profile && rowOf(database, profile, target, now);
  },

  async byEitherId(id, now) {
    const all = [...database.profiles.values()];
    const profile = all.find(({ clientId }) => clientId === id) ?? all.find((candidate) => candidate.id === id);
    return profile ? rowOf(database, profile, null, now) : null;
  },

  async byAccountId(id, target) {
    const state = database.serviceAccounts.get(id);
    return state ? { ...state, epochs: epochsOf(database, 0), target: targetOf(database, target) } : null;
  },
});

const rowOf = <Part extends TargetPart>(
  database: MemoryDatabase,
  profile: Profile,
  target: Target<Part> | null,
  now: Instant,
): CallerRow<TargetParts[Part]> => ({
  profile,
  key: database.keys.get(profile.id) ?? null,
  limits: limitsOf(database, profile),
  epochs: epochsOf(database, database.grantEpochs.get(profile.id) ?? 0),
  target: targetOf(database, target),
  granted: target !== null && liveWays(database, profile.id, target.id, now).length > 0,
  accessUntil: firstExpiryAfter(database, profile.id, now),
  claims: database.claims.get(profile.id) ?? null,
  readAt: now,
});

const firstExpiryAfter = (database: MemoryDatabase, profile: ProfileId, now: Instant): Instant | null => {
  const expiries = [...waysOf(database, profile).values()].flat().flatMap(({ expiresAt }) => expiresAt ?? []);
  const later = expiries.filter((end) => end > now);
  return later.length === 0 ? null : Math.min(...later);
};

const epochsOf = (database: MemoryDatabase, grants: number): Epochs => ({
  grants,
  groups: database.groupsEpoch,
  catalog: database.catalogEpoch,
  embeddings: database.lastSequence,
  operations: database.lastOperationSequence,
  searchModel: database.searchModel,
});

const targetOf = <Part extends TargetPart>(
  { collections }: MemoryDatabase,
  target: Target<Part> | null,
): TargetParts[Part] | null => target && partOf(target.part, collections.get(target.id));

const partOf = <Part extends TargetPart>(part: Part, collection: Collection | undefined): TargetParts[Part] | null =>
  collection ? parts[part](collection) : null;

const parts: { readonly [Part in TargetPart]: (collection: Collection) => TargetParts[Part] } = {
  head: ({ id, name, description, createdBy, createdAt, updatedAt, revision, documentDigest }): CollectionHead => ({
    id,
    name,
    description,
    createdBy,
    createdAt,
    updatedAt,
    revision,
    documentDigest,
  }),
  whole: (collection) => collection,
};
