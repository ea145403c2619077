import { grantExpiryContract } from '@portico/contracts';
import type { CallerRow, CollectionHead, Instant, ProfileId } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { accessGrantsOf } from './memory-memberships.ts';

const { listClients, update } = breachesOf('grants');
const { findByUid } = breachesOf('callers');
const { listVisibleIds } = breachesOf('collections');

/** Changes the row returned by the read on the hot path. */
const mapRow = (
  alter: <Part extends CollectionHead>(row: CallerRow<Part>, now: Instant, database: MemoryDatabase) => CallerRow<Part>,
) => findByUid.mapResult((row, [, , now], database) => row && alter(row, now, database));

const expiriesOf = (database: MemoryDatabase, profile: ProfileId, isForGroups: boolean): readonly Instant[] =>
  [...accessGrantsOf(database, profile).values()]
    .flat()
    .flatMap(({ group, expiresAt }) => (expiresAt !== null && (isForGroups || group === null) ? [expiresAt] : []));

const earliestOf = (expiries: readonly Instant[]): Instant | null =>
  expiries.length === 0 ? null : Math.min(...expiries);

proveStores('the memory stores, on expiring grants', grantExpiryContract, {
  // Extends the grant by one millisecond.
  "every read counts the client's own grant until it expires, and no read afterwards": findByUid.mapArguments(
    ([uid, target, now]) => [uid, target, now - 1],
  ),
  'every read counts a grant of a group for its members until it expires, and no read afterwards':
    listVisibleIds.mapArguments(([visibility]) => [
      visibility.scope === 'granted' ? { ...visibility, now: visibility.now - 1 } : visibility,
    ]),
  'a grant without an expiry counts at any time': update.mapDecision((change) => {
    const put = change.put?.map((grant) => ({ ...grant, expiresAt: grant.expiresAt ?? 2 ** 52 }));
    return { ...change, ...(put && { put }) };
  }),
  'a collection that is granted in two ways is accessible until the later expiry': mapRow((row, now, database) => {
    const expiry = earliestOf(expiriesOf(database, row.profile.id, true));
    return { ...row, hasGrant: row.hasGrant && (expiry === null || now < expiry) };
  }),
  "only the grants that are valid at the given time are listed as a client's access, with their expiries":
    listClients.mapArguments(([collection]) => [collection, 0]),
  'a decision sees a grant that has expired': update.mapDecisionInput(([states]) => [
    states.map((state) => ({
      ...state,
      grant: (state.grant?.expiresAt ?? Infinity) < 2e12 ? null : state.grant,
    })),
  ]),
  'a row shows when the first grant of the caller or of its groups expires': mapRow((row, _now, database) => ({
    ...row,
    accessUntil: earliestOf(expiriesOf(database, row.profile.id, false)),
  })),
  'a row shows neither expiries in the past nor expiries of other clients': mapRow((row, _now, database) => ({
    ...row,
    accessUntil: earliestOf(expiriesOf(database, row.profile.id, true)),
  })),
  'a row shows the expiry with and without a target, by uid and by API client identifier': mapRow((row) => ({
    ...row,
    accessUntil: row.target ? null : row.accessUntil,
  })),
  'a row shows the time at which grants were evaluated': mapRow((row) => ({ ...row, readAt: Date.now() })),
});
