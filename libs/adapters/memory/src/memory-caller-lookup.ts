import type {
  CallerLookup,
  CallerRow,
  Collection,
  CollectionHead,
  Epochs,
  Profile,
  Target,
  TargetPart,
  TargetParts,
} from '@portico/domain';
import type { MemoryDatabase } from './memory-database.ts';
import { limitsOf } from './memory-limit-store.ts';
import { withUid } from './memory-profile-store.ts';

export const createMemoryCallerLookup = (database: MemoryDatabase): CallerLookup => ({
  async byClientId(clientId, target) {
    const profile = [...database.profiles.values()].find((candidate) => candidate.clientId === clientId);
    return profile ? rowOf(database, profile, target) : null;
  },

  async byUid(uid, target) {
    const profile = withUid(database, uid);
    return profile && rowOf(database, profile, target);
  },

  async byEitherId(id) {
    const all = [...database.profiles.values()];
    const profile = all.find(({ clientId }) => clientId === id) ?? all.find((candidate) => candidate.id === id);
    return profile ? rowOf(database, profile, null) : null;
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
): CallerRow<TargetParts[Part]> => ({
  profile,
  key: database.keys.get(profile.id) ?? null,
  limits: limitsOf(database, profile),
  epochs: epochsOf(database, database.grantEpochs.get(profile.id) ?? 0),
  target: targetOf(database, target),
  granted: target !== null && (database.grants.get(profile.id)?.has(target.id) ?? false),
});

const epochsOf = (database: MemoryDatabase, grants: number): Epochs => ({
  grants,
  catalog: database.catalogEpoch,
  embeddings: database.lastSequence,
  operations: database.lastOperationSequence,
  searchModel: database.searchModel,
});

const targetOf = <Part extends TargetPart>(
  { collections }: MemoryDatabase,
  target: Target<Part> | null,
): TargetParts[Part] | null => target && partOf(target.part, collections.get(target.id));

const partOf = <Part extends TargetPart>(part: Part, found: Collection | undefined): TargetParts[Part] | null =>
  found ? parts[part](found) : null;

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
