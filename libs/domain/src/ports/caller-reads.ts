import type { ClientId, CollectionId } from '../ids.ts';
import type { Collection, CollectionHead } from './collection-store.ts';
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

/** How much of a collection is read: what answers show of it, or all but its document. */
export interface TargetParts {
  readonly head: CollectionHead;
  readonly whole: Collection;
}
export type TargetPart = keyof TargetParts;

/** The collection that a request is about. */
export interface Target<Part extends TargetPart = TargetPart> {
  readonly id: CollectionId;
  readonly part: Part;
}

/** All that is needed to judge a request, as of one moment. */
export interface CallerRow<Found extends CollectionHead = CollectionHead> {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /**
   * The collection that was asked about, that part of it and no more: null where none was, or where there is no such collection.
   */
  readonly target: Found | null;
  /** Whether the profile has a grant for the target. */
  readonly granted: boolean;
}

/**
 * The hot read: who is calling, what limits them and what they may do with one collection, in one statement and from the
 * primary copy, so that each answer reflects every write that was acknowledged before the call. Nothing is cached.
 */
export interface CallerReads {
  /** By API client identifier; also while it is asleep (an admin's). Null where it is unknown. */
  byClientId<Part extends TargetPart = 'head'>(
    clientId: ClientId,
    target: Target<Part> | null,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
  /** By the identity provider's user id. Null where no profile has it. */
  byUid<Part extends TargetPart = 'head'>(
    uid: string,
    target: Target<Part> | null,
  ): Promise<CallerRow<TargetParts[Part]> | null>;
}
