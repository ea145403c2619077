import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  toClientPair,
  type Collection,
  dayMs,
  dayOf,
  type Effects,
  type Group,
  toGroupPair,
  type Instant,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { assertFails, assertWritten, failDecision } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
  aKey,
  anAdmin,
  aProfile,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

const today = dayOf(start);
/** Returns the time this many days after the start of today. */
const inDays = (days: number): Instant => (today + days) * dayMs;
const nextYear = { after: start, until: inDays(365) };
const noticeDays = [30, 7, 1];

/** The contract of `ExpiryStore`. */
export const expiryStoreContract = {
  'the expiries of a profile are those of its key, its grants and the grants of its groups': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await grant(stores, ada, roads, inDays(3));
    const group = await addGroup(stores, 'Drivers', [ada]);
    await stores.grants.update([toGroupPair(group.id, bridges.id)], () => ({
      put: [{ ...toGroupPair(group.id, bridges.id), grantedAt: start, expiresAt: inDays(2), rule: null }],
      ...noEffects,
    }));
    await setKeyExpiry(stores, ada, inDays(1));
    deepStrictEqual(await stores.expiries.listByProfile(ada.id, nextYear, 9), {
      total: 3,
      expiries: [
        { email: ada.email, collection: null, group: null, expiresAt: inDays(1) },
        { email: ada.email, collection: 'Bridges', group: 'Drivers', expiresAt: inDays(2) },
        { email: ada.email, collection: 'Roads', group: null, expiresAt: inDays(3) },
      ],
    });
  },

  'a member that was added to a group and also claims it has each expiry of the group once': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const group = await addGroup(stores, 'Drivers', [ada]);
    await stores.groups.syncClaims(ada.id, { names: ['Drivers'], issuedAt: start, seenAt: start }, () => noEffects);
    await stores.grants.update([toGroupPair(group.id, roads.id)], () => ({
      put: [{ ...toGroupPair(group.id, roads.id), grantedAt: start, expiresAt: inDays(2), rule: null }],
      ...noEffects,
    }));
    strictEqual((await stores.expiries.listByProfile(ada.id, nextYear, 9)).total, 1);
  },

  'expiries are returned if they are after the start and not later than the end': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await grant(stores, ada, roads, inDays(3));
    await grant(stores, ada, bridges, null);
    const countBetween = async (after: Instant, until: Instant) =>
      (await stores.expiries.listByProfile(ada.id, { after, until }, 9)).total;
    deepStrictEqual(
      [
        await countBetween(inDays(3) - 1, inDays(3)),
        await countBetween(inDays(3), inDays(9)),
        await countBetween(start, inDays(3) - 1),
      ],
      [1, 0, 0],
    );
  },

  'only approved clients that are not suspended have expiries': async (stores) => {
    const { roads } = await setUp(stores);
    const inactiveProfiles = [
      aProfile({ status: 'pending' }),
      aProfile({ status: 'rejected' }),
      anAdmin(),
      aProfile({ suspendedAt: start }),
    ];
    for (const profile of inactiveProfiles) {
      await stores.profiles.add(profile, noEffects);
      await grant(stores, profile, roads, inDays(3));
      strictEqual((await stores.expiries.listByProfile(profile.id, nextYear, 9)).total, 0);
    }
    strictEqual((await stores.expiries.listAll(nextYear, 9)).total, 0);
  },

  'all expiries are counted, and the earliest are listed, ordered by time, email, collection and group': async (
    stores,
  ) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await grant(stores, bob, roads, inDays(2));
    await grant(stores, ada, roads, inDays(2));
    await grant(stores, ada, bridges, inDays(2));
    await setKeyExpiry(stores, ada, inDays(2));
    await grant(stores, bob, bridges, inDays(1));
    const { total, expiries } = await stores.expiries.listAll(nextYear, 4);
    strictEqual(total, 5);
    deepStrictEqual(
      expiries.map(({ email, collection }) => [email, collection]),
      [
        [bob.email, 'Bridges'],
        [ada.email, null],
        [ada.email, 'Bridges'],
        [ada.email, 'Roads'],
      ],
    );
  },

  'the first notices are for expiries exactly one notice period after today': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await grant(stores, ada, roads, inDays(30));
    await grant(stores, bob, bridges, inDays(29));
    deepStrictEqual(await scheduleDay(stores, today), [ada.id]);
  },

  'notices cover each day completely, and not the adjacent days': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const [cem, dee] = [await addPerson(stores, 'cem'), await addPerson(stores, 'dee')];
    await grant(stores, ada, roads, inDays(7));
    await grant(stores, bob, roads, inDays(8) - 1);
    await grant(stores, cem, bridges, inDays(7) - 1);
    await grant(stores, dee, bridges, inDays(8));
    deepStrictEqual(await scheduleDay(stores, today), [ada.id, bob.id].sort());
  },

  'each profile to notify is listed once, in code-point order': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await grant(stores, bob, roads, inDays(7));
    await grant(stores, ada, roads, inDays(30));
    await grant(stores, ada, bridges, inDays(1));
    deepStrictEqual(await scheduleDay(stores, today), [ada.id, bob.id].sort());
  },

  'notices of a missed day are scheduled later, except for access that has expired since then': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    strictEqual(await scheduleDay(stores, today), null);
    await grant(stores, ada, roads, inDays(2 + 7));
    await grant(stores, bob, roads, inDays(2));
    deepStrictEqual(await scheduleDay(stores, today + 3, inDays(3)), [ada.id]);
  },

  'notices are scheduled once for each day': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await grant(stores, ada, roads, inDays(7));
    deepStrictEqual(await scheduleDay(stores, today), [ada.id]);
    for (const day of [today, today - 1])
      strictEqual(await stores.expiries.scheduleNotices(day, noticeDays, start, () => someEffects()), false);
    await assertWritten(stores);
  },

  'when the notices of a day are scheduled concurrently, only one call schedules them': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await grant(stores, ada, roads, inDays(7));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => stores.expiries.scheduleNotices(today, noticeDays, start, () => noEffects)),
    );
    strictEqual(outcomes.filter(Boolean).length, 1);
  },

  'scheduling notices writes its effects': async (stores) => {
    const effects = someEffects();
    strictEqual(await stores.expiries.scheduleNotices(today, noticeDays, start, () => effects), true);
    await assertWritten(stores, effects);
  },

  'scheduling can be repeated if the decision throws': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await grant(stores, ada, roads, inDays(7));
    await assertFails(stores.expiries.scheduleNotices(today, noticeDays, start, failDecision));
    deepStrictEqual(await scheduleDay(stores, today), [ada.id]);
  },
} satisfies Contract<Stores>;

const addPerson = async (stores: Stores, name: string): Promise<Profile> => {
  const profile = aProfile({ email: `${name}@example.com` });
  await stores.profiles.add(profile, noEffects);
  return profile;
};

/** Adds two people and two collections, without grants. */
const setUp = async (stores: Stores) => {
  const [ada, bob] = [await addPerson(stores, 'ada'), await addPerson(stores, 'bob')];
  const [roads, bridges] = [aCollection({ name: 'Roads' }), aCollection({ name: 'Bridges' })];
  for (const collection of [roads, bridges]) await stores.collections.add(collection, aDocumentContent(), noEffects);
  return { ada, bob, roads, bridges };
};

const addGroup = async (stores: Stores, name: string, members: readonly Profile[]): Promise<Group> => {
  const group = { id: nextId<Group['id']>(), name, description: '', tier: null, createdAt: start, updatedAt: start };
  await stores.groups.add(group, noEffects);
  const ids = members.map(({ id }) => id);
  await stores.groups.updateMembers(group.id, ids, start, () => ({
    add: ids.map((id) => ({ id, addedAt: start })),
    ...noEffects,
  }));
  return group;
};

const grant = ({ grants }: Stores, { id }: Profile, collection: Collection, expiresAt: Instant | null) => {
  const pair = toClientPair(id, collection.id);
  return grants.update([pair], () => ({ put: [{ ...pair, grantedAt: start, expiresAt, rule: null }], ...noEffects }));
};

const setKeyExpiry = ({ profiles }: Stores, { id }: Profile, expiresAt: Instant) =>
  profiles.update(id, ({ profile }) => ({ profile, key: { ...aKey(), expiresAt }, ...noEffects }));

/** Schedules the notices for the day. Returns the profiles to notify, or null if there are none. */
const scheduleDay = async (
  { expiries }: Stores,
  day: number,
  now: Instant = start,
): Promise<readonly ProfileId[] | null> => {
  let scheduledIds: readonly ProfileId[] = [];
  const isScheduled = await expiries.scheduleNotices(day, noticeDays, now, (profiles): Effects => {
    scheduledIds = profiles;
    return noEffects;
  });
  ok(isScheduled, 'the notices of the day were already scheduled');
  return scheduledIds.length === 0 ? null : scheduledIds;
};
