import type { CollectionHead } from '../collections/collection.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from '../profiles/profile.ts';
import type { AccessWay } from './grant.ts';
import type { CollectionReference, GroupReference, ProfileReference } from './reference.ts';

/** One way in which a client has a collection. */
export interface MatrixRow {
  readonly client: Profile;
  readonly collection: Pick<CollectionHead, 'id' | 'name'>;
  readonly way: AccessWay;
}

/** Which rows; null for any. */
export interface MatrixFilter {
  readonly profile: ProfileReference | null;
  /** Only what comes by this group. */
  readonly group: GroupReference | null;
  /** All collections of that name, if it is a name. */
  readonly collection: CollectionReference | null;
  /** Only what expires, and before this. */
  readonly expiringBefore: Instant | null;
  /** Without what had expired by then. */
  readonly liveAt: Instant | null;
}

/** Where a row is in the matrix: by the client's e-mail, then as lists sort collections, its own grant before its groups'. */
export interface MatrixPlace {
  readonly email: string;
  readonly nameKey: string;
  readonly collectionId: string;
  /** Empty for the client's own grant. */
  readonly groupName: string;
}
