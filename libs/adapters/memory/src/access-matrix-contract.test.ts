import { accessMatrixContract } from '@portico/contracts';
import type { MatrixFilter } from '@portico/domain';
import { breachesOf, updateEntry, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { keyExpiries, rows } = breachesOf('accessMatrix');

/** Reads rows using a changed filter. */
const mapFilter = (alter: (filter: MatrixFilter) => Partial<MatrixFilter>) =>
  rows.mapArguments(([filter, ...page]) => [{ ...filter, ...alter(filter) }, ...page]);

proveStores('the memory access matrix', accessMatrixContract, {
  'a row names the client and the collection, and how access was granted': rows.mapResult((rows) =>
    rows.map((row) => ({ ...row, way: { ...row.way, expiresAt: null } })),
  ),
  'a client has the grants of a group once, whether it was added to the group, claims it, or both': rows.mapResult(
    (rows) => rows.flatMap((row) => (row.way.group ? [row, row] : [row])),
  ),
  'admins are left out': rows.restoreAfter(({ profiles }) => {
    const restore = saveEntries(profiles, (_id, { role }) => role === 'admin');
    for (const id of profiles.keys()) updateEntry(profiles, id, { role: 'client' });
    return restore;
  }),
  'rows are sorted by e-mail, collection sort key and group name, with own grants first': rows.mapResult((rows) =>
    [...rows].sort((a, b) => {
      const [one, other] = [a, b].map(({ client, collection }) => client.email + collection.name);
      return one === other ? (a.way.group ? -1 : 1) : (one ?? '') < (other ?? '') ? -1 : 1;
    }),
  ),
  'a page starts after its cursor, whether or not that row exists': rows.mapArguments(([filter, after, limit]) => [
    filter,
    after && { ...after, groupName: '' },
    limit,
  ]),
  'a page has at most the requested number of rows': rows.mapArguments(([filter, after, limit]) => [
    filter,
    after,
    limit + 1,
  ]),
  'many clients without a row do not hide the rows behind them': rows.mapResult((rows, _args, { profiles }) => {
    const seen = new Set([...profiles.keys()].slice(0, 64));
    return rows.filter(({ client }) => seen.has(client.id));
  }),
  'a filter names a profile, a group or a collection by its id or its name': mapFilter((filter) =>
    filter.group?.by === 'name' ? { group: null } : {},
  ),
  'a filter can exclude grants that had expired at a given millisecond': mapFilter(({ liveAt }) => ({
    liveAt: liveAt === null ? null : liveAt - 1,
  })),
  'a filter can exclude grants that expire at or after a given time, or never': mapFilter(({ expiringBefore }) => ({
    expiringBefore: expiringBefore === null ? null : expiringBefore + 1,
  })),
  'key expiries are returned for the requested profiles, without keys that never expire': keyExpiries.mapArguments(
    (_args, { keys }) => [[...keys.keys()]],
  ),
});
