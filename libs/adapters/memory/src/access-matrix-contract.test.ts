import { accessMatrixContract } from '@portico/contracts';
import type { MatrixFilter } from '@portico/domain';
import { breachesOf, changing, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { keyExpiries, rows } = breachesOf('accessMatrix');

/** Rows by another filter. */
const filtering = (alter: (filter: MatrixFilter) => Partial<MatrixFilter>) =>
  rows.asking(([filter, ...page]) => [{ ...filter, ...alter(filter) }, ...page]);

proveStores('the memory access matrix', accessMatrixContract, {
  'a row tells the client, the collection and the way': rows.returning((rows) =>
    rows.map((row) => ({ ...row, way: { ...row.way, expiresAt: null } })),
  ),
  'a client has the grants of a group that it belongs to by hand, by claim, or both, once': rows.returning((rows) =>
    rows.flatMap((row) => (row.way.group ? [row, row] : [row])),
  ),
  'admins are left out': rows.leaving(({ profiles }) => {
    const restore = restoring(profiles, (_id, { role }) => role === 'admin');
    for (const id of profiles.keys()) changing(profiles, id, { role: 'client' });
    return restore;
  }),
  'rows are sorted by e-mail, by the sort key of the collection, and by the name of the group, its own grant first':
    rows.returning((rows) =>
      [...rows].sort((a, b) => {
        const [one, other] = [a, b].map(({ client, collection }) => client.email + collection.name);
        return one === other ? (a.way.group ? -1 : 1) : (one ?? '') < (other ?? '') ? -1 : 1;
      }),
    ),
  'a page goes on after its place, whether a row is there or not': rows.asking(([filter, after, limit]) => [
    filter,
    after && { ...after, groupName: '' },
    limit,
  ]),
  'a page has at most as many rows as were asked for': rows.asking(([filter, after, limit]) => [
    filter,
    after,
    limit + 1,
  ]),
  'many clients without a row do not hide the rows behind them': rows.returning((rows, _asked, { profiles }) => {
    const seen = new Set([...profiles.keys()].slice(0, 64));
    return rows.filter(({ client }) => seen.has(client.id));
  }),
  'a filter names a profile, a group or a collection by its id or its name': filtering((filter) =>
    filter.group?.by === 'name' ? { group: null } : {},
  ),
  'a filter leaves out what had expired at a moment, at that millisecond': filtering(({ liveAt }) => ({
    liveAt: liveAt === null ? null : liveAt - 1,
  })),
  'a filter leaves out what expires at a moment or later, or never': filtering(({ expiringBefore }) => ({
    expiringBefore: expiringBefore === null ? null : expiringBefore + 1,
  })),
  'the ends of keys are those of the profiles that are asked about, without keys that have none': keyExpiries.asking(
    (_asked, { keys }) => [[...keys.keys()]],
  ),
});
