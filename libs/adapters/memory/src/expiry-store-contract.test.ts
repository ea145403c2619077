import { expiryStoreContract, noEffects } from '@portico/contracts';
import type { Expiry, SoonestEnds } from '@portico/domain';
import { breachesOf, breaking, leaking, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { announce, ofProfile } = breachesOf('expiries');

/** Reads with other ends. */
const reading = (alter: (ends: SoonestEnds) => SoonestEnds) =>
  breaking('expiries', (right) => ({
    ofProfile: async (...call) => alter(await right.ofProfile(...call)),
    ofAll: async (...call) => alter(await right.ofAll(...call)),
  }));

const only = (keeps: (end: Expiry) => boolean) =>
  reading(({ first }) => {
    const kept = first.filter(keeps);
    return { total: kept.length, first: kept };
  });

proveStores('the memory expiry store', expiryStoreContract, {
  "a profile's ends are those of its key, its grants and the grants of its groups": only(({ group }) => group === null),
  'a member by hand and by claim has the ends of its group once': reading(({ total, first }) => ({
    total: total * 2,
    first,
  })),
  'ends are those after one moment and not later than another': ofProfile.asking(([id, { after, until }, limit]) => [
    id,
    { after: after - 1, until: until - 1 },
    limit,
  ]),
  'only approved clients that are not suspended have ends': ofProfile.preceded(({ profiles }) =>
    profiles.forEach((profile, id) => profiles.set(id, { ...profile, suspendedAt: null })),
  ),
  'all ends are counted, and the first to end are listed, then by e-mail, collection and group': reading(
    ({ first }) => ({ total: first.length, first }),
  ),
  'the first announcement is about what ends that many days after today': announce.asking(([today, days, ...rest]) => [
    today,
    days.map((count) => count - 1),
    ...rest,
  ]),
  'an announcement covers the whole of each day, and nothing of the days beside it': announce.preceded(
    (database, [today]) => {
      database.expiriesAnnouncedDay = today - 2;
    },
  ),
  'the profiles of an announcement come each once, in code-point order': announce.misleading(([profiles]) => [
    [...profiles, ...profiles],
  ]),
  'a day that was not announced is made up for, without what has ended': announce.preceded((database, [today]) => {
    if (database.expiriesAnnouncedDay !== null) database.expiriesAnnouncedDay = today - 1;
  }),
  'a day is announced once': announce.preceded((database) => {
    database.expiriesAnnouncedDay = null;
  }),
  'of concurrent announcements of a day, one announces': announce.instead(async (call, right) => {
    await pause();
    await right.announce(...call);
    return true;
  }),
  'an announcement writes its effects': announce.withoutEffects(),
  'an announcement whose decision throws can be made again': announce.instead(
    async ([today, days, now, decide], right, database, stores) => {
      const before = database.expiriesAnnouncedDay;
      await right.announce(today, days, now, () => noEffects);
      const after = database.expiriesAnnouncedDay;
      database.expiriesAnnouncedDay = before;
      return leaking(stores, right.announce(today, days, now, decide)).catch((error: unknown) => {
        database.expiriesAnnouncedDay = after;
        throw error;
      });
    },
  ),
});
