import type { Collection, CollectionHead } from '../collections/collection.ts';
import type { CollectionId } from '../ids.ts';
import type { ClientLimits } from '../limits/limit.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import type { Profile } from '../profiles/profile.ts';

/**
 * Numbers that grow with each change of what they name. Data derived from rows may be kept in memory under them,
 * because they are read in the statement that authorises the request.
 */
export interface Epochs {
  /** Grants of this profile. */
  readonly grants: number;
  /** Collections: any creation, change or deletion. */
  readonly catalog: number;
  /** The highest `sequence` of an embedding (see `EmbeddingStore`). */
  readonly embeddings: number;
}

/** How much of a collection is read: the parts that answers show, or everything but its document. */
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

/** Everything needed to judge a request, read at one moment. */
export interface CallerRow<Found extends CollectionHead = CollectionHead> {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /**
   * The requested part of the collection that the request is about. Null if the request is about none, or if it does
   * not exist.
   */
  readonly target: Found | null;
  /** Whether the profile has a grant for the target. */
  readonly granted: boolean;
}
