import type { ClientId, CollectionId } from '../ids.ts';
import type { CollectionHead } from './collection-store.ts';
import type { ClientLimits } from './limit-store.ts';
import type { Profile, StoredKey } from './profile-store.ts';

/**
 * Numbers that grow with each change of what they name. What is derived from rows may be kept in memory under them, for
 * they are read in the statement that authorises the request.
 */
export interface Epochs {
  /** Grants of this profile. */
  readonly grants: number;
  /** Collections: any creation, change or deletion. */
  readonly catalog: number;
  /** The highest `sequence` of an embedding (see `EmbeddingStore`). */
  readonly embeddings: number;
}

/** All that is needed to judge a request, as of one moment. */
export interface CallerRow {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /** The collection that was asked about: null where none was, or where there is no such collection. */
  readonly target: CollectionHead | null;
  /** Whether the profile has a grant for the target. */
  readonly granted: boolean;
}

/**
 * The hot read: who is calling, what limits them and what they may do with one collection, in one statement and from the
 * primary copy, so that each answer reflects every write that was acknowledged before the call. Nothing is cached.
 */
export interface CallerReads {
  /** By API client identifier; also while it is asleep (an admin's). Null where it is unknown. */
  byClientId(clientId: ClientId, target: CollectionId | null): Promise<CallerRow | null>;
  /** By the identity provider's user id. Null where no profile has it. */
  byUid(uid: string, target: CollectionId | null): Promise<CallerRow | null>;
}
