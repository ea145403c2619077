import { accessMatrixContract } from '@portico/contracts';
import type { MatrixFilter } from '@portico/domain';
import { breachesOf, updateEntry, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { findKeyExpiries, listRows } = breachesOf('accessMatrix');

/** Reads rows using a changed filter. */
const mapFilter = (alter: (filter: MatrixFilter) => Partial<MatrixFilter>) =>
  listRows.mapArguments(([filter, ...page]) => [{ ...filter, ...alter(filter) }, ...page]);

proveStores('the memory access matrix', accessMatrixContract, {
  'a row names the client and the collection, and how access was granted': listRows.mapResult((rows) =>
    rows.map((row) => ({ ...row, grant: { ...row.grant, expiresAt: null } })),
  ),
  'a client has the grants of a group once, whether it was added to the group, claims it, or both': listRows.mapResult(
    (rows) => rows.flatMap((row) => (row.grant.group ? [row, row] : [row])),
  ),
  'admins are not listed': listRows.restoreAfter(({ profiles }) => {
    const restore = saveEntries(profiles, (_id, { role }) => role === 'admin');
    for (const id of profiles.keys()) updateEntry(profiles, id, { role: 'client' });
    return restore;
  }),
  "rows are sorted by email, collection sort key and group name, with the client's own grants first":
    listRows.mapResult((rows) =>
      [...rows].sort((a, b) => {
        const [keyOfA, keyOfB] = [a, b].map(({ client, collection }) => client.email + collection.name);
        return keyOfA === keyOfB ? (a.grant.group ? -1 : 1) : (keyOfA ?? '') < (keyOfB ?? '') ? -1 : 1;
      }),
    ),
  'a page starts after its cursor, even if the row at the cursor does not exist': listRows.mapArguments(
    ([filter, after, limit]) => [filter, after && { ...after, groupName: '' }, limit],
  ),
  'a page has at most the requested number of rows': listRows.mapArguments(([filter, after, limit]) => [
    filter,
    after,
    limit + 1,
  ]),
  'rows are found even after many clients without rows': listRows.mapResult((rows, _args, { profiles }) => {
    const firstIds = new Set([...profiles.keys()].slice(0, 64));
    return rows.filter(({ client }) => firstIds.has(client.id));
  }),
  'a filter selects a profile, a group or a collection by id or by name': mapFilter((filter) =>
    filter.group?.by === 'name' ? { group: null } : {},
  ),
  'a filter can exclude grants that had expired at a given millisecond': mapFilter(({ liveAt }) => ({
    liveAt: liveAt === null ? null : liveAt - 1,
  })),
  'a filter can exclude grants that expire at or after a given time or never expire': mapFilter(
    ({ expiringBefore }) => ({
      expiringBefore: expiringBefore === null ? null : expiringBefore + 1,
    }),
  ),
  'key expiries are returned for the requested profiles whose keys expire': findKeyExpiries.mapArguments(
    (_args, { keys }) => [[...keys.keys()]],
  ),
});
