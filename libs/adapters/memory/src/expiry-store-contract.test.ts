import { expiryStoreContract, noEffects } from '@portico/contracts';
import type { Expiry, UpcomingExpiries } from '@portico/domain';
import { breachesOf, breakPort, writeEntryOnFailure, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { scheduleNotices, ofProfile } = breachesOf('expiries');

/** Changes the result of both reads. */
const mapExpiries = (alter: (expiries: UpcomingExpiries) => UpcomingExpiries) =>
  breakPort('expiries', (original) => ({
    ofProfile: async (...call) => alter(await original.ofProfile(...call)),
    ofAll: async (...call) => alter(await original.ofAll(...call)),
  }));

const filterExpiries = (isMatch: (expiry: Expiry) => boolean) =>
  mapExpiries(({ first }) => {
    const matches = first.filter(isMatch);
    return { total: matches.length, first: matches };
  });

proveStores('the memory expiry store', expiryStoreContract, {
  "a profile's expiries are those of its key, its grants and the grants of its groups": filterExpiries(
    ({ group }) => group === null,
  ),
  'a member that was added to a group and claims it has the expiries of the group once': mapExpiries(
    ({ total, first }) => ({
      total: total * 2,
      first,
    }),
  ),
  'expiries are those after a start and not later than an end': ofProfile.mapArguments(
    ([id, { after, until }, limit]) => [id, { after: after - 1, until: until - 1 }, limit],
  ),
  'only approved clients that are not suspended have expiries': ofProfile.runBefore(({ profiles }) =>
    profiles.forEach((profile, id) => profiles.set(id, { ...profile, suspendedAt: null })),
  ),
  'all expiries are counted, and the earliest are listed, then by e-mail, collection and group': mapExpiries(
    ({ first }) => ({ total: first.length, first }),
  ),
  'the first notices are for expiries exactly a notice period after today': scheduleNotices.mapArguments(
    ([today, days, ...rest]) => [today, days.map((count) => count - 1), ...rest],
  ),
  'notices cover the whole of each day, and nothing of the adjacent days': scheduleNotices.runBefore(
    (database, [today]) => {
      database.expiriesAnnouncedDay = today - 2;
    },
  ),
  'the profiles of notices occur once each, in code-point order': scheduleNotices.mapDecisionInput(([profiles]) => [
    [...profiles, ...profiles],
  ]),
  'a missed day is caught up on, without access that has expired': scheduleNotices.runBefore((database, [today]) => {
    if (database.expiriesAnnouncedDay !== null) database.expiriesAnnouncedDay = today - 1;
  }),
  'notices are scheduled once for each day': scheduleNotices.runBefore((database) => {
    database.expiriesAnnouncedDay = null;
  }),
  'of concurrent calls for a day, one schedules the notices': scheduleNotices.replaceWith(async (call, original) => {
    await pause();
    await original.scheduleNotices(...call);
    return true;
  }),
  'scheduling notices writes its effects': scheduleNotices.withoutEffects(),
  'scheduling whose decision throws can be repeated': scheduleNotices.replaceWith(
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
