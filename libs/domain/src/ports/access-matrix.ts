import type { MatrixFilter, MatrixPlace, MatrixRow } from '../grants/access-matrix.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Who may what, and until when: what administrators look at. No request is judged by it. */
export interface AccessMatrix {
  /**
   * A row for each way in which a client has a collection, admins left out: at most `limit` of those after a place, by
   * e-mail (code points), `nameKey` and id of the collection, its own grant first, then by name of the group. Rows that
   * the filter does not name are left out.
   */
  rows(filter: MatrixFilter, after: MatrixPlace | null, limit: number): Promise<readonly MatrixRow[]>;

  /** When the keys of these profiles expire, without those that have none or never do. */
  keyExpiries(of: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, Instant>>;
}
