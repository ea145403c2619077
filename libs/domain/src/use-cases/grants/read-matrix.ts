import type { AdminAuthority } from '../../access/principal.ts';
import { nameKey } from '../../collections/collection.ts';
import type { MatrixFilter, MatrixPlace, MatrixRow } from '../../grants/access-matrix.ts';
import type { Ports } from '../../ports/index.ts';

/** What an administrator asks of the matrix. */
export interface MatrixQuery extends Omit<MatrixFilter, 'liveAt'> {
  readonly includeExpired: boolean;
}

export interface MatrixPage {
  readonly rows: readonly MatrixRow[];
  /** Where the next page begins; null if this is the last one. */
  readonly next: MatrixPlace | null;
}

type Needs = Pick<Ports, 'accessMatrix' | 'clock'>;

/** Reads one page of who may what. */
export const readMatrix =
  ({ accessMatrix, clock }: Needs) =>
  async (
    _authority: AdminAuthority,
    query: MatrixQuery,
    after: MatrixPlace | null,
    limit: number,
  ): Promise<MatrixPage> => {
    const found = await accessMatrix.rows(filterOf(query, clock.now()), after, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    return { rows, next: last ? placeOf(last) : null };
  };

/** Rows that are in memory at a time while all are read. */
const exportPageSize = 2_000;

/** Reads all of it page by page, as fast as it is consumed. What changes meanwhile may or may not be in it. */
export const exportMatrix = ({ accessMatrix, clock }: Needs) =>
  async function* (_authority: AdminAuthority, query: MatrixQuery): AsyncGenerator<readonly MatrixRow[]> {
    const filter = filterOf(query, clock.now());
    for (let after: MatrixPlace | null = null; ;) {
      const rows: readonly MatrixRow[] = await accessMatrix.rows(filter, after, exportPageSize);
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < exportPageSize) return;
      after = placeOf(last);
    }
  };

const filterOf = ({ includeExpired, ...filter }: MatrixQuery, now: number): MatrixFilter => ({
  ...filter,
  liveAt: includeExpired ? null : now,
});

const placeOf = ({ client, collection, way }: MatrixRow): MatrixPlace => ({
  email: client.email,
  nameKey: nameKey(collection.name),
  collectionId: collection.id,
  groupName: way.group?.name ?? '',
});
