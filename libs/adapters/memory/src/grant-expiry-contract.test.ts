import { grantExpiryContract } from '@portico/contracts';
import type { CallerRow, CollectionHead, Instant, ProfileId } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

const { clientsOf, update } = breachesOf('grants');
const { byUid } = breachesOf('callers');
const { visibleIds } = breachesOf('collections');

/** Changes the row returned by the read on the hot path. */
const mapRow = (
  alter: <Part extends CollectionHead>(row: CallerRow<Part>, now: Instant, database: MemoryDatabase) => CallerRow<Part>,
) => byUid.mapResult((row, [, , now], database) => row && alter(row, now, database));

const expiriesOf = (database: MemoryDatabase, profile: ProfileId, ofGroups: boolean): readonly Instant[] =>
  [...waysOf(database, profile).values()]
    .flat()
    .flatMap(({ group, expiresAt }) => (expiresAt !== null && (ofGroups || group === null) ? [expiresAt] : []));

const earliest = (expiries: readonly Instant[]): Instant | null =>
  expiries.length === 0 ? null : Math.min(...expiries);

proveStores('the memory stores, on expiring grants', grantExpiryContract, {
  // Extends the grant by one millisecond.
  "a client's own grant counts in every read before its expiry, and in none from its expiry on": byUid.mapArguments(
    ([uid, target, now]) => [uid, target, now - 1],
  ),
  'a grant of a group counts for members before its expiry, and in no read from its expiry on': visibleIds.mapArguments(
    ([visibility]) => [visibility.of === 'granted' ? { ...visibility, at: visibility.at - 1 } : visibility],
  ),
  'a grant without an expiry counts at any time': update.mapDecision((change) => {
    const put = change.put?.map((grant) => ({ ...grant, expiresAt: grant.expiresAt ?? 2 ** 52 }));
    return { ...change, ...(put && { put }) };
  }),
  'a collection granted in two ways is accessible until the later expiry': mapRow((row, now, database) => {
    const expiry = earliest(expiriesOf(database, row.profile.id, true));
    return { ...row, granted: row.granted && (expiry === null || now < expiry) };
  }),
  'the ways of access of a client are those that count at the given time, each with its expiry': clientsOf.mapArguments(
    ([collection]) => [collection, 0],
  ),
  'a decision sees a grant that has expired': update.mapDecisionInput(([states]) => [
    states.map((state) => ({
      ...state,
      grant: (state.grant?.expiresAt ?? Infinity) < 2e12 ? null : state.grant,
    })),
  ]),
  'a row shows when the first grant of the caller or of its groups expires': mapRow((row, _now, database) => ({
    ...row,
    accessUntil: earliest(expiriesOf(database, row.profile.id, false)),
  })),
  'a row shows no expiry that has passed, and none of another client': mapRow((row, _now, database) => ({
    ...row,
    accessUntil: earliest(expiriesOf(database, row.profile.id, true)),
  })),
  'a row shows the expiry with and without a target, by uid and by API client identifier': mapRow((row) => ({
    ...row,
    accessUntil: row.target ? null : row.accessUntil,
  })),
  'a row shows the time for which grants were evaluated': mapRow((row) => ({ ...row, readAt: Date.now() })),
});
