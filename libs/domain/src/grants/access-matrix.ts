import type { CollectionHead } from '../collections/collection.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessGrant } from './grant.ts';
import type { CollectionReference, GroupReference, ProfileReference } from './reference.ts';

/** One way in which a client has access to a collection. */
export interface MatrixRow {
  readonly client: Profile;
  readonly collection: Pick<CollectionHead, 'id' | 'name'>;
  readonly grant: AccessGrant;
}

/** The conditions that rows must meet; null matches any value. */
export interface MatrixFilter {
  readonly profile: ProfileReference | null;
  /** Only access granted through this group. */
  readonly group: GroupReference | null;
  /** For a name, all collections with that name. */
  readonly collection: CollectionReference | null;
  /** Only access that expires before this time. */
  readonly expiringBefore: Instant | null;
  /** Only access that has not expired by this time. */
  readonly liveAt: Instant | null;
}

/**
 * The position of a row in the matrix, which is sorted by the client's email, then by collection as in lists, then
 * with the client's own grant before its groups' grants.
 */
export interface MatrixCursor {
  readonly email: string;
  readonly nameKey: string;
  readonly collectionId: string;
  /** Empty for the client's own grant. */
  readonly groupName: string;
}
