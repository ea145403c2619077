import { expiryStoreContract, noEffects } from '@portico/contracts';
import type { Expiry, UpcomingExpiries } from '@portico/domain';
import { breachesOf, breakPort, writeEntryOnFailure, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { scheduleNotices, listByProfile } = breachesOf('expiries');

/** Changes the result of both reads. */
const mapExpiries = (alter: (expiries: UpcomingExpiries) => UpcomingExpiries) =>
  breakPort('expiries', (original) => ({
    listByProfile: async (...call) => alter(await original.listByProfile(...call)),
    listAll: async (...call) => alter(await original.listAll(...call)),
  }));

const filterExpiries = (isMatch: (expiry: Expiry) => boolean) =>
  mapExpiries(({ expiries }) => {
    const matches = expiries.filter(isMatch);
    return { total: matches.length, expiries: matches };
  });

proveStores('the memory expiry store', expiryStoreContract, {
  'the expiries of a profile are those of its key, its grants and the grants of its groups': filterExpiries(
    ({ group }) => group === null,
  ),
  'a member that was added to a group and also claims it has each expiry of the group once': mapExpiries(
    ({ total, expiries }) => ({
      total: total * 2,
      expiries,
    }),
  ),
  'expiries are returned if they are after the start and not later than the end': listByProfile.mapArguments(
    ([id, { after, until }, limit]) => [id, { after: after - 1, until: until - 1 }, limit],
  ),
  'only approved clients that are not suspended have expiries': listByProfile.runBefore(({ profiles }) =>
    profiles.forEach((profile, id) => profiles.set(id, { ...profile, suspendedAt: null })),
  ),
  'all expiries are counted, and the earliest are listed, ordered by time, email, collection and group': mapExpiries(
    ({ expiries }) => ({ total: expiries.length, expiries }),
  ),
  'the first notices are for expiries exactly one notice period after today': scheduleNotices.mapArguments(
    ([today, days, ...others]) => [today, days.map((count) => count - 1), ...others],
  ),
  'notices cover each day completely, and not the adjacent days': scheduleNotices.runBefore((database, [today]) => {
    database.expiriesAnnouncedDay = today - 2;
  }),
  'each profile to notify is listed once, in code-point order': scheduleNotices.mapDecisionInput(([profiles]) => [
    [...profiles, ...profiles],
  ]),
  'notices of a missed day are scheduled later, except for access that has expired since then':
    scheduleNotices.runBefore((database, [today]) => {
      if (database.expiriesAnnouncedDay !== null) database.expiriesAnnouncedDay = today - 1;
    }),
  'notices are scheduled once for each day': scheduleNotices.runBefore((database) => {
    database.expiriesAnnouncedDay = null;
  }),
  'when the notices of a day are scheduled concurrently, only one call schedules them': scheduleNotices.replaceWith(
    async (call, original) => {
      await pause();
      await original.scheduleNotices(...call);
      return true;
    },
  ),
  'scheduling notices writes its effects': scheduleNotices.dropEffects(),
  'scheduling can be repeated if the decision throws': scheduleNotices.replaceWith(
    async ([today, days, now, decide], original, database, stores) => {
      const before = database.expiriesAnnouncedDay;
      await original.scheduleNotices(today, days, now, () => noEffects);
      const after = database.expiriesAnnouncedDay;
      database.expiriesAnnouncedDay = before;
      return writeEntryOnFailure(stores, original.scheduleNotices(today, days, now, decide)).catch((error: unknown) => {
        database.expiriesAnnouncedDay = after;
        throw error;
      });
    },
  ),
});
