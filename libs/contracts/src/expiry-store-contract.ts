import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import {
  clientPair,
  type Collection,
  dayMs,
  dayOf,
  type Effects,
  type Group,
  groupPair,
  type Instant,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { assertFails, assertWritten, refuse } from './assertions.ts';
import type { Contract } from './contract.ts';
import { aCollection, aContent, aKey, anAdmin, aProfile, nextId, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const today = dayOf(start);
/** A moment this many days after the first of today. */
const inDays = (days: number): Instant => (today + days) * dayMs;
const all = { after: start, until: inDays(365) };
const noticeDays = [30, 7, 1];

/** What `ExpiryStore` promises. */
export const expiryStoreContract = {
  "a profile's ends are those of its key, its grants and the grants of its groups": async (stores) => {
    const { ada, roads, bridges } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(3));
    const group = await aGroup(stores, 'Drivers', [ada]);
    await stores.grants.update([groupPair(group.id, bridges.id)], () => ({
      put: [{ ...groupPair(group.id, bridges.id), grantedAt: start, expiresAt: inDays(2) }],
      ...noEffects,
    }));
    await keyEnds(stores, ada, inDays(1));
    deepStrictEqual(await stores.expiries.ofProfile(ada.id, all, 9), {
      total: 3,
      first: [
        { email: ada.email, collection: null, group: null, expiresAt: inDays(1) },
        { email: ada.email, collection: 'Bridges', group: 'Drivers', expiresAt: inDays(2) },
        { email: ada.email, collection: 'Roads', group: null, expiresAt: inDays(3) },
      ],
    });
  },

  'a member by hand and by claim has the ends of its group once': async (stores) => {
    const { ada, roads } = await aWorld(stores);
    const group = await aGroup(stores, 'Drivers', [ada]);
    await stores.groups.followClaims(ada.id, { names: ['Drivers'], issuedAt: start, seenAt: start }, () => noEffects);
    await stores.grants.update([groupPair(group.id, roads.id)], () => ({
      put: [{ ...groupPair(group.id, roads.id), grantedAt: start, expiresAt: inDays(2) }],
      ...noEffects,
    }));
    strictEqual((await stores.expiries.ofProfile(ada.id, all, 9)).total, 1);
  },

  'ends are those after one moment and not later than another': async (stores) => {
    const { ada, roads, bridges } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(3));
    await grant(stores, ada, bridges, null);
    const found = async (after: Instant, until: Instant) =>
      (await stores.expiries.ofProfile(ada.id, { after, until }, 9)).total;
    deepStrictEqual(
      [await found(inDays(3) - 1, inDays(3)), await found(inDays(3), inDays(9)), await found(start, inDays(3) - 1)],
      [1, 0, 0],
    );
  },

  'only approved clients that are not suspended have ends': async (stores) => {
    const { roads } = await aWorld(stores);
    const sleeping = [
      aProfile({ status: 'pending' }),
      aProfile({ status: 'rejected' }),
      anAdmin(),
      aProfile({ suspendedAt: start }),
    ];
    for (const profile of sleeping) {
      await stores.profiles.add(profile, noEffects);
      await grant(stores, profile, roads, inDays(3));
      strictEqual((await stores.expiries.ofProfile(profile.id, all, 9)).total, 0);
    }
    strictEqual((await stores.expiries.ofAll(all, 9)).total, 0);
  },

  'all ends are counted, and the first to end are listed, then by e-mail, collection and group': async (stores) => {
    const { ada, bob, roads, bridges } = await aWorld(stores);
    await grant(stores, bob, roads, inDays(2));
    await grant(stores, ada, roads, inDays(2));
    await grant(stores, ada, bridges, inDays(2));
    await keyEnds(stores, ada, inDays(2));
    await grant(stores, bob, bridges, inDays(1));
    const { total, first } = await stores.expiries.ofAll(all, 4);
    strictEqual(total, 5);
    deepStrictEqual(
      first.map(({ email, collection }) => [email, collection]),
      [
        [bob.email, 'Bridges'],
        [ada.email, null],
        [ada.email, 'Bridges'],
        [ada.email, 'Roads'],
      ],
    );
  },

  'the first announcement is about what ends that many days after today': async (stores) => {
    const { ada, bob, roads, bridges } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(30));
    await grant(stores, bob, bridges, inDays(29));
    deepStrictEqual(await announced(stores, today), [ada.id]);
  },

  'an announcement covers the whole of each day, and nothing of the days beside it': async (stores) => {
    const { ada, bob, roads, bridges } = await aWorld(stores);
    const [cem, dee] = [await aPerson(stores, 'cem'), await aPerson(stores, 'dee')];
    await grant(stores, ada, roads, inDays(7));
    await grant(stores, bob, roads, inDays(8) - 1);
    await grant(stores, cem, bridges, inDays(7) - 1);
    await grant(stores, dee, bridges, inDays(8));
    deepStrictEqual(await announced(stores, today), [ada.id, bob.id].sort());
  },

  'the profiles of an announcement come each once, in code-point order': async (stores) => {
    const { ada, bob, roads, bridges } = await aWorld(stores);
    await grant(stores, bob, roads, inDays(7));
    await grant(stores, ada, roads, inDays(30));
    await grant(stores, ada, bridges, inDays(1));
    deepStrictEqual(await announced(stores, today), [ada.id, bob.id].sort());
  },

  'a day that was not announced is made up for, without what has ended': async (stores) => {
    const { ada, bob, roads } = await aWorld(stores);
    strictEqual(await announced(stores, today), null);
    await grant(stores, ada, roads, inDays(2 + 7));
    await grant(stores, bob, roads, inDays(2));
    deepStrictEqual(await announced(stores, today + 3, inDays(3)), [ada.id]);
  },

  'a day is announced once': async (stores) => {
    const { ada, roads } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(7));
    deepStrictEqual(await announced(stores, today), [ada.id]);
    for (const day of [today, today - 1])
      strictEqual(await stores.expiries.announce(day, noticeDays, start, () => someEffects()), false);
    await assertWritten(stores);
  },

  'of concurrent announcements of a day, one announces': async (stores) => {
    const { ada, roads } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(7));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => stores.expiries.announce(today, noticeDays, start, () => noEffects)),
    );
    strictEqual(outcomes.filter(Boolean).length, 1);
  },

  'an announcement writes its effects': async (stores) => {
    const effects = someEffects();
    strictEqual(await stores.expiries.announce(today, noticeDays, start, () => effects), true);
    await assertWritten(stores, effects);
  },

  'an announcement whose decision throws can be made again': async (stores) => {
    const { ada, roads } = await aWorld(stores);
    await grant(stores, ada, roads, inDays(7));
    await assertFails(stores.expiries.announce(today, noticeDays, start, refuse));
    deepStrictEqual(await announced(stores, today), [ada.id]);
  },
} satisfies Contract<Stores>;

const aPerson = async (stores: Stores, name: string): Promise<Profile> => {
  const profile = aProfile({ email: `${name}@example.com` });
  await stores.profiles.add(profile, noEffects);
  return profile;
};

/** Two people and two collections, without grants. */
const aWorld = async (stores: Stores) => {
  const [ada, bob] = [await aPerson(stores, 'ada'), await aPerson(stores, 'bob')];
  const [roads, bridges] = [aCollection({ name: 'Roads' }), aCollection({ name: 'Bridges' })];
  for (const collection of [roads, bridges]) await stores.collections.add(collection, aContent(), noEffects);
  return { ada, bob, roads, bridges };
};

const aGroup = async (stores: Stores, name: string, members: readonly Profile[]): Promise<Group> => {
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
  const pair = clientPair(id, collection.id);
  return grants.update([pair], () => ({ put: [{ ...pair, grantedAt: start, expiresAt }], ...noEffects }));
};

const keyEnds = ({ profiles }: Stores, { id }: Profile, expiresAt: Instant) =>
  profiles.update(id, ({ profile }) => ({ profile, key: { ...aKey(), expiresAt }, ...noEffects }));

/** The profiles of the day's announcement; null if nothing was to be announced. */
const announced = async (
  { expiries }: Stores,
  day: number,
  now: Instant = start,
): Promise<readonly ProfileId[] | null> => {
  let seen: readonly ProfileId[] = [];
  const isDone = await expiries.announce(day, noticeDays, now, (profiles): Effects => {
    seen = profiles;
    return noEffects;
  });
  ok(isDone, 'the day was announced before');
  return seen.length === 0 ? null : seen;
};
