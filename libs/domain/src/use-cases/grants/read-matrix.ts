import type { AdminAuthority } from '../../access/principal.ts';
import { toNameKey } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { MatrixFilter, MatrixCursor, MatrixRow } from '../../grants/access-matrix.ts';
import type { Ports } from '../../ports/index.ts';

/** An administrator's query for the matrix. */
export interface MatrixQuery extends Omit<MatrixFilter, 'liveAt'> {
  readonly includeExpired: boolean;
}

export interface MatrixPage {
  readonly rows: readonly MatrixRow[];
  /** The cursor of the next page; null if this is the last page. */
  readonly next: MatrixCursor | null;
}

type RequiredPorts = Pick<Ports, 'accessMatrix' | 'clock' | 'profiles' | 'groups' | 'collections'>;

/** Reads one page of the access matrix. Throws as `assertExists` does. */
export const readMatrix =
  (ports: RequiredPorts) =>
  async (
    _authority: AdminAuthority,
    query: MatrixQuery,
    after: MatrixCursor | null,
    limit: number,
  ): Promise<MatrixPage> => {
    await assertExists(ports, query);
    const matches = await ports.accessMatrix.listRows(filterOf(query, ports.clock.now()), after, limit + 1);
    const rows = matches.slice(0, limit);
    const last = matches.length > limit ? rows.at(-1) : undefined;
    return { rows, next: last ? cursorOf(last) : null };
  };

/** The number of rows in memory at a time during an export. */
const exportPageSize = 2_000;

/**
 * Reads the whole matrix page by page, only as fast as it is consumed. Concurrent changes may or may not be included.
 * Throws as `assertExists` does, before the first page.
 */
export const exportMatrix =
  (ports: RequiredPorts) =>
  async (_authority: AdminAuthority, query: MatrixQuery): Promise<AsyncIterable<readonly MatrixRow[]>> => {
    await assertExists(ports, query);
    return readAllPages(ports, filterOf(query, ports.clock.now()));
  };

async function* readAllPages(
  { accessMatrix }: RequiredPorts,
  filter: MatrixFilter,
): AsyncGenerator<readonly MatrixRow[]> {
  for (let after: MatrixCursor | null = null; ;) {
    const rows: readonly MatrixRow[] = await accessMatrix.listRows(filter, after, exportPageSize);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < exportPageSize) return;
    after = cursorOf(last);
  }
}

/**
 * Throws `user_not_found`, `group_not_found` or `collection_not_found` for a name that does not exist: an empty matrix
 * would imply that no one has access.
 */
const assertExists = async (
  { profiles, groups, collections }: RequiredPorts,
  { profile, group, collection }: MatrixQuery,
): Promise<void> => {
  if (profile?.by === 'name' && !(await profiles.findByEmail(profile.name))) throw new PorticoError('user_not_found');
  if (group?.by === 'name' && (await groups.findByNames([group.name])).length === 0)
    throw new PorticoError('group_not_found');
  if (collection?.by !== 'name') return;
  const matches = await collections.findByNames({ scope: 'all' }, [collection.name]);
  if (matches.length === 0) throw new PorticoError('collection_not_found');
};

const filterOf = ({ includeExpired, ...filter }: MatrixQuery, now: number): MatrixFilter => ({
  ...filter,
  liveAt: includeExpired ? null : now,
});

const cursorOf = ({ client, collection, grant }: MatrixRow): MatrixCursor => ({
  email: client.email,
  nameKey: toNameKey(collection.name),
  collectionId: collection.id,
  groupName: grant.group?.name ?? '',
});
