import type { MatrixFilter, MatrixCursor, MatrixRow } from '../grants/access-matrix.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Who has access to which collection, and until when, as shown to administrators. It never authorizes requests. */
export interface AccessMatrix {
  /**
   * Returns one row for each way in which a client has access to a collection; admins are excluded. Rows are sorted by
   * email (code points), then by the collection's `toNameKey` and id, then with the client's own grant before those of
   * groups, then by group name. Returns at most `limit` rows after the given position, and only rows that match the
   * filter.
   */
  listRows(filter: MatrixFilter, after: MatrixCursor | null, limit: number): Promise<readonly MatrixRow[]>;

  /**
   * Returns when the keys of these profiles expire. Profiles without a key, or with a key that never expires, are
   * omitted.
   */
  findKeyExpiries(profiles: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, Instant>>;
}
