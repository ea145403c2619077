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
  TargetDetail,
  TargetDetails,
} from '@portico/domain';
import type { MemoryDatabase } from './memory-database.ts';
import { listLiveAccessGrants, listLiveRules, accessGrantsOf, ownsCollection } from './memory-memberships.ts';
import { limitsOf } from './memory-limit-store.ts';
import { findProfileByUid } from './memory-profile-store.ts';

export const createMemoryCallerLookup = (database: MemoryDatabase): CallerLookup => ({
  async findByClientId(clientId, target, now) {
    const profile = [...database.profiles.values()].find((candidate) => candidate.clientId === clientId);
    return profile ? rowOf(database, profile, target, now) : null;
  },

  async findByUid(uid, target, now) {
    const profile = findProfileByUid(database, uid);
    return profile && rowOf(database, profile, target, now);
  },

  async findByEitherId(id, now) {
    const profiles = [...database.profiles.values()];
    const profile =
      profiles.find(({ clientId }) => clientId === id) ?? profiles.find((candidate) => candidate.id === id);
    return profile ? rowOf(database, profile, null, now) : null;
  },

  async findByAccountId(id, target) {
    const state = database.serviceAccounts.get(id);
    return state ? { ...state, epochs: epochsOf(database, 0), target: targetOf(database, target) } : null;
  },
});

const rowOf = <Detail extends TargetDetail>(
  database: MemoryDatabase,
  profile: Profile,
  target: Target<Detail> | null,
  now: Instant,
): CallerRow<TargetDetails[Detail]> => ({
  profile,
  key: database.keys.get(profile.id) ?? null,
  limits: limitsOf(database, profile),
  epochs: epochsOf(database, database.grantEpochs.get(profile.id) ?? 0),
  target: targetOf(database, target),
  hasGrant: target !== null && listLiveAccessGrants(database, profile.id, target.id, now).length > 0,
  rules: target === null ? [] : listLiveRules(database, profile.id, target.id, now),
  ownsTarget: target !== null && ownsCollection(database, profile.id, target.id),
  accessUntil: findFirstExpiryAfter(database, profile.id, now),
  claims: database.claims.get(profile.id) ?? null,
  readAt: now,
});

const findFirstExpiryAfter = (database: MemoryDatabase, profile: ProfileId, now: Instant): Instant | null => {
  const expiries = [...accessGrantsOf(database, profile).values()].flat().flatMap(({ expiresAt }) => expiresAt ?? []);
  const laterExpiries = expiries.filter((expiry) => expiry > now);
  return laterExpiries.length === 0 ? null : Math.min(...laterExpiries);
};

const epochsOf = (database: MemoryDatabase, grants: number): Epochs => ({
  grants,
  groups: database.groupsEpoch,
  catalog: database.catalogEpoch,
  embeddings: database.lastSequence,
  operations: database.lastOperationSequence,
  searchModel: database.searchModel,
});

const targetOf = <Detail extends TargetDetail>(
  { collections }: MemoryDatabase,
  target: Target<Detail> | null,
): TargetDetails[Detail] | null => target && partOf(target.detail, collections.get(target.id));

const partOf = <Detail extends TargetDetail>(
  part: Detail,
  collection: Collection | undefined,
): TargetDetails[Detail] | null => (collection ? parts[part](collection) : null);

const parts: { readonly [Detail in TargetDetail]: (collection: Collection) => TargetDetails[Detail] } = {
  head: ({
    id,
    name,
    description,
    createdBy,
    createdAt,
    updatedAt,
    revision,
    documentDigest,
    original,
    lifecycle,
    tags,
  }): CollectionHead => ({
    id,
    name,
    description,
    createdBy,
    createdAt,
    updatedAt,
    revision,
    documentDigest,
    original,
    lifecycle,
    tags,
  }),
  full: (collection) => collection,
};
