import type { AdminAuthority } from '../../access/principal.ts';
import { nameKey } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
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

type Needs = Pick<Ports, 'accessMatrix' | 'clock' | 'profiles' | 'groups' | 'collections'>;

/** Reads one page of who may what. Throws as `mustExist`. */
export const readMatrix =
  (ports: Needs) =>
  async (
    _authority: AdminAuthority,
    query: MatrixQuery,
    after: MatrixPlace | null,
    limit: number,
  ): Promise<MatrixPage> => {
    await mustExist(ports, query);
    const found = await ports.accessMatrix.rows(filterOf(query, ports.clock.now()), after, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    return { rows, next: last ? placeOf(last) : null };
  };

/** Rows that are in memory at a time while all are read. */
const exportPageSize = 2_000;

/**
 * Reads all of it page by page, as fast as it is consumed. What changes meanwhile may or may not be in it. Throws as
 * `mustExist`, before the first page.
 */
export const exportMatrix =
  (ports: Needs) =>
  async (_authority: AdminAuthority, query: MatrixQuery): Promise<AsyncIterable<readonly MatrixRow[]>> => {
    await mustExist(ports, query);
    return allPages(ports, filterOf(query, ports.clock.now()));
  };

async function* allPages({ accessMatrix }: Needs, filter: MatrixFilter): AsyncGenerator<readonly MatrixRow[]> {
  for (let after: MatrixPlace | null = null; ;) {
    const rows: readonly MatrixRow[] = await accessMatrix.rows(filter, after, exportPageSize);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < exportPageSize) return;
    after = placeOf(last);
  }
}

/**
 * Throws `user_not_found`, `group_not_found` or `collection_not_found` for a name that nothing has: an empty matrix would
 * say that nobody has access.
 */
const mustExist = async (
  { profiles, groups, collections }: Needs,
  { profile, group, collection }: MatrixQuery,
): Promise<void> => {
  if (profile?.by === 'name' && !(await profiles.findByEmail(profile.name))) throw new PorticoError('user_not_found');
  if (group?.by === 'name' && (await groups.findByNames([group.name])).length === 0)
    throw new PorticoError('group_not_found');
  if (collection?.by !== 'name') return;
  const named = await collections.findByNames({ of: 'all' }, [collection.name]);
  if (named.length === 0) throw new PorticoError('collection_not_found');
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
