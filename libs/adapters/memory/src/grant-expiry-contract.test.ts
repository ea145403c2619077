import { grantExpiryContract } from '@portico/contracts';
import type { CallerRow, CollectionHead, Instant, ProfileId } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

const { clientsOf, update } = breachesOf('grants');
const { byUid } = breachesOf('callers');
const { visibleIds } = breachesOf('collections');

/** The hot read with parts of its rows changed. */
const altering = (
  alter: <Found extends CollectionHead>(
    row: CallerRow<Found>,
    now: Instant,
    database: MemoryDatabase,
  ) => CallerRow<Found>,
) => byUid.returning((row, [, , now], database) => row && alter(row, now, database));

const endsOf = (database: MemoryDatabase, profile: ProfileId, ofGroups: boolean): readonly Instant[] =>
  [...waysOf(database, profile).values()]
    .flat()
    .flatMap(({ group, expiresAt }) => (expiresAt !== null && (ofGroups || group === null) ? [expiresAt] : []));

const earliest = (ends: readonly Instant[]): Instant | null => (ends.length === 0 ? null : Math.min(...ends));

proveStores('the memory stores, of grants that end', grantExpiryContract, {
  // One millisecond too long.
  "a client's own grant counts in every read before its end, and in none from its end on": byUid.asking(
    ([uid, target, now]) => [uid, target, now - 1],
  ),
  'a grant of a group counts for members before its end, and in no read from its end on': visibleIds.asking(
    ([visibility]) => [visibility.of === 'granted' ? { ...visibility, at: visibility.at - 1 } : visibility],
  ),
  'a grant without an end counts at any time': update.deciding((change) => {
    const put = change.put?.map((grant) => ({ ...grant, expiresAt: grant.expiresAt ?? 2 ** 52 }));
    return { ...change, ...(put && { put }) };
  }),
  'a collection held in two ways is had until the later of their ends': altering((row, now, database) => {
    const end = earliest(endsOf(database, row.profile.id, true));
    return { ...row, granted: row.granted && (end === null || now < end) };
  }),
  'the ways of a client are those that count at the moment, each with its end': clientsOf.asking(([collection]) => [
    collection,
    0,
  ]),
  'a decision sees a grant that has ended': update.misleading(([states]) => [
    states.map((state) => ({
      ...state,
      grant: (state.grant?.expiresAt ?? Infinity) < 2e12 ? null : state.grant,
    })),
  ]),
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
});
