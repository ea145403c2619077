import { grantExpiryContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CallerLookup, CallerRow, CollectionHead, Instant, ProfileId } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';
import { createMemoryStores } from './memory-stores.ts';

/** The hot read with parts of its rows changed. */
const altering = (
  alter: <Found extends CollectionHead>(
    row: CallerRow<Found>,
    now: Instant,
    database: MemoryDatabase,
  ) => CallerRow<Found>,
) =>
  breaking('callers', (right, _stores, database): Partial<CallerLookup> => ({
    byUid: async (uid, target, now) => {
      const row = await right.byUid(uid, target, now);
      return row && alter(row, now, database);
    },
  }));

const endsOf = (database: MemoryDatabase, profile: ProfileId, ofGroups: boolean): readonly Instant[] =>
  [...waysOf(database, profile).values()]
    .flat()
    .flatMap(({ group, expiresAt }) => (expiresAt !== null && (ofGroups || group === null) ? [expiresAt] : []));

const earliest = (ends: readonly Instant[]): Instant | null => (ends.length === 0 ? null : Math.min(...ends));

const sabotages: Sabotages<typeof grantExpiryContract, Stores> = {
  // One millisecond too long.
  "a client's own grant counts in every read before its end, and in none from its end on": breaking(
    'callers',
    (right) => ({ byUid: (uid, target, now) => right.byUid(uid, target, now - 1) }),
  ),
  'a grant of a group counts for members before its end, and in no read from its end on': breaking(
    'collections',
    (right) => ({
      visibleIds: (visibility) =>
        right.visibleIds(visibility.of === 'granted' ? { ...visibility, at: visibility.at - 1 } : visibility),
    }),
  ),
  'a grant without an end counts at any time': breaking('grants', (right) => ({
    update: (pairs, decide) =>
      right.update(pairs, (states) => {
        const change = decide(states);
        const put = change.put?.map((grant) => ({ ...grant, expiresAt: grant.expiresAt ?? 2 ** 52 }));
        return { ...change, ...(put && { put }) };
      }),
  })),
  'a collection held in two ways is had until the later of their ends': altering((row, now, database) => {
    const end = earliest(endsOf(database, row.profile.id, true));
    return { ...row, granted: row.granted && (end === null || now < end) };
  }),
  'the ways of a client are those that count at the moment, each with its end': breaking('grants', (right) => ({
    clientsOf: (collection) => right.clientsOf(collection, 0),
  })),
  'a decision sees a grant that has ended': breaking('grants', (right) => ({
    update: (pairs, decide) =>
      right.update(pairs, (states) =>
        decide(
          states.map((state) => ({
            ...state,
            grant: (state.grant?.expiresAt ?? Infinity) < 2e12 ? null : state.grant,
          })),
        ),
      ),
  })),
  'a row says when the first grant ends, of the caller or of its groups': altering((row, _now, database) => ({
    ...row,
    accessUntil: earliest(endsOf(database, row.profile.id, false)),
  })),
  'a row does not name an end that has come, nor one of somebody else': altering((row, _now, database) => ({
    ...row,
    accessUntil: earliest(endsOf(database, row.profile.id, true)),
  })),
  'a row names the end with a target and without one, by uid and by API client identifier': altering((row) => ({
    ...row,
    accessUntil: row.target ? null : row.accessUntil,
  })),
  'a row says by which moment grants were judged': altering((row) => ({ ...row, readAt: Date.now() })),
};

describe('the memory stores, of grants that end', () => {
  proveContract(grantExpiryContract, sabotages, createMemoryStores);
});
