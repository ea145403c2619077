import { expiryStoreContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import { type Expiry, type ExpiryStore, type SoonestEnds } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

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

/** Announcements with other arguments. */
const announcing = (alter: (...call: Parameters<ExpiryStore['announce']>) => Parameters<ExpiryStore['announce']>) =>
  breaking('expiries', (right) => ({ announce: (...call) => right.announce(...alter(...call)) }));

const sabotages: Sabotages<typeof expiryStoreContract, Stores> = {
  "a profile's ends are those of its key, its grants and the grants of its groups": only(({ group }) => group === null),
  'a member by hand and by claim has the ends of its group once': reading(({ total, first }) => ({
    total: total * 2,
    first,
  })),
  'ends are those after one moment and not later than another': breaking('expiries', (right) => ({
    ofProfile: (id, { after, until }, limit) => right.ofProfile(id, { after: after - 1, until: until - 1 }, limit),
  })),
  'only approved clients that are not suspended have ends': breaking('expiries', (right, _stores, { profiles }) => ({
    ofProfile: async (...call) => {
      for (const [id, profile] of profiles) profiles.set(id, { ...profile, suspendedAt: null });
      return right.ofProfile(...call);
    },
  })),
  'all ends are counted, and the first to end are listed, then by e-mail, collection and group': reading(
    ({ first }) => ({ total: first.length, first }),
  ),
  'the first announcement is about what ends that many days after today': announcing((today, days, now, decide) => [
    today,
    days.map((count) => count - 1),
    now,
    decide,
  ]),
  'an announcement covers the whole of each day, and nothing of the days beside it': breaking(
    'expiries',
    (right, _stores, database) => ({
      announce: (today, days, now, decide) => {
        database.expiriesAnnouncedDay = today - 2;
        return right.announce(today, days, now, decide);
      },
    }),
  ),
  'the profiles of an announcement come each once, in code-point order': announcing((today, days, now, decide) => [
    today,
    days,
    now,
    (profiles) => decide([...profiles, ...profiles]),
  ]),
  'a day that was not announced is made up for, without what has ended': breaking(
    'expiries',
    (right, _stores, database) => ({
      announce: (today, days, now, decide) => {
        if (database.expiriesAnnouncedDay !== null) database.expiriesAnnouncedDay = today - 1;
        return right.announce(today, days, now, decide);
      },
    }),
  ),
  'a day is announced once': breaking('expiries', (right, _stores, database) => ({
    announce: (today, days, now, decide) => {
      database.expiriesAnnouncedDay = null;
      return right.announce(today, days, now, decide);
    },
  })),
  'of concurrent announcements of a day, one announces': breaking('expiries', (right) => ({
    announce: async (...call) => {
      await pause();
      await right.announce(...call);
      return true;
    },
  })),
  'an announcement writes its effects': announcing((today, days, now, decide) => [today, days, now, silently(decide)]),
  'an announcement whose decision throws can be made again': breaking('expiries', (right, stores, database) => ({
    announce: async (today, days, now, decide) => {
      const before = database.expiriesAnnouncedDay;
      await right.announce(today, days, now, () => noEffects);
      const after = database.expiriesAnnouncedDay;
      database.expiriesAnnouncedDay = before;
      return leaking(stores, right.announce(today, days, now, decide)).catch((error: unknown) => {
        database.expiriesAnnouncedDay = after;
        throw error;
      });
    },
  })),
};

describe('the memory expiry store', () => {
  proveContract(expiryStoreContract, sabotages, createMemoryStores);
});
