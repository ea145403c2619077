import { accessMatrixContract, type Sabotages, type Stores } from '@portico/contracts';
import type { AccessMatrix, MatrixFilter, MatrixRow } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

type Rows = AccessMatrix['rows'];
const rowsAs = (broken: (right: Rows) => Rows) =>
  breaking('accessMatrix', (right) => ({ rows: broken((...page) => right.rows(...page)) }));

/** Rows that are changed on their way out. */
const showing = (alter: (rows: readonly MatrixRow[]) => readonly MatrixRow[]) =>
  rowsAs(
    (right) =>
      async (...page) =>
        alter(await right(...page)),
  );
/** Rows by another filter. */
const filtering = (alter: (filter: MatrixFilter) => MatrixFilter) =>
  rowsAs(
    (right) =>
      (filter, ...page) =>
        right(alter(filter), ...page),
  );

const sabotages: Sabotages<typeof accessMatrixContract, Stores> = {
  'a row tells the client, the collection and the way': showing((rows) =>
    rows.map((row) => ({ ...row, way: { ...row.way, expiresAt: null } })),
  ),
  'a client has the grants of a group that it belongs to by hand, by claim, or both, once': showing((rows) =>
    rows.flatMap((row) => (row.way.group ? [row, row] : [row])),
  ),
  'admins are left out': breaking('accessMatrix', (right, _stores, { profiles }) => ({
    rows: async (...page) => {
      const before = [...profiles.values()];
      for (const profile of before)
        if (profile.role === 'admin') profiles.set(profile.id, { ...profile, role: 'client' });
      const rows = await right.rows(...page);
      for (const profile of before) profiles.set(profile.id, profile);
      return rows;
    },
  })),
  'rows are sorted by e-mail, by the sort key of the collection, and by the name of the group, its own grant first':
    showing((rows) =>
      [...rows].sort((a, b) => {
        const [one, other] = [a, b].map(({ client, collection }) => client.email + collection.name);
        return one === other ? (a.way.group ? -1 : 1) : (one ?? '') < (other ?? '') ? -1 : 1;
      }),
    ),
  'a page goes on after its place, whether a row is there or not': rowsAs(
    (right) => (filter, after, limit) => right(filter, after && { ...after, groupName: '' }, limit),
  ),
  'a page has at most as many rows as were asked for': rowsAs(
    (right) => (filter, after, limit) => right(filter, after, limit + 1),
  ),
  'many clients without a row do not hide the rows behind them': breaking(
    'accessMatrix',
    (right, _stores, { profiles }) => ({
      rows: async (...page) => {
        const seen = new Set([...profiles.keys()].slice(0, 64));
        return (await right.rows(...page)).filter(({ client }) => seen.has(client.id));
      },
    }),
  ),
  'a filter names a profile, a group or a collection by its id or its name': filtering((filter) =>
    filter.group?.by === 'name' ? { ...filter, group: null } : filter,
  ),
  'a filter leaves out what had expired at a moment, at that millisecond': filtering((filter) => ({
    ...filter,
    liveAt: filter.liveAt === null ? null : filter.liveAt - 1,
  })),
  'a filter leaves out what expires at a moment or later, or never': filtering((filter) => ({
    ...filter,
    expiringBefore: filter.expiringBefore === null ? null : filter.expiringBefore + 1,
  })),
  'the ends of keys are those of the profiles that are asked about, without keys that have none': breaking(
    'accessMatrix',
    (right, _stores, { keys }) => ({ keyExpiries: () => right.keyExpiries([...keys.keys()]) }),
  ),
};

describe('the memory access matrix', () => {
  proveContract(accessMatrixContract, sabotages, createMemoryStores);
});
