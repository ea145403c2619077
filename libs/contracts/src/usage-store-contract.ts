import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { dayOf, noUses, usageKinds } from '@portico/domain';
import type { Collection, DayUse, Profile, UsageCounts, UsageFilter, UsageGrouping } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aContent, aProfile, aUse, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const today = dayOf(start);
const dayMs = 86_400_000;
const always: UsageFilter = { first: 0, end: today + 100, profileId: null, collectionId: null };
const linesMax = 99;

/** The contract of `UsageStore`. */
export const usageStoreContract = {
  'the counts of each kind are summed by day': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const counts = Object.fromEntries(usageKinds.map((kind, at) => [kind, (at + 1) * 10 ** at])) as UsageCounts;
    await stores.usage.add([aUse(ada, roads, { counts })]);
    deepStrictEqual(await stores.usage.report('day', always, linesMax), [{ of: { by: 'day', day: today }, counts }]);
  },

  'uses for the same day, profile and collection add up': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([aUse(ada, roads), aUse(ada, null)]);
    await stores.usage.add([aUse(ada, roads), aUse(ada, null)]);
    deepStrictEqual(await linesOf(stores, 'collection'), [
      [roads.name, reads(2)],
      [null, reads(2)],
    ]);
  },

  'no concurrent addition is lost': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const uses = [aUse(ada, roads), aUse(bob, bridges), aUse(ada, null)];
    await Promise.all(Array.from({ length: 20 }, (_, at) => stores.usage.add(at % 2 ? uses : uses.toReversed())));
    deepStrictEqual(await linesOf(stores, 'day'), [[today, reads(60)]]);
  },

  'uses of a missing profile or collection are left out, and the rest is stored': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([
      aUse(aProfile(), roads),
      aUse(ada, aCollection()),
      aUse(aProfile(), null),
      aUse(ada, roads),
    ]);
    deepStrictEqual(await linesOf(stores, 'profile'), [[ada.email, reads(1)]]);
  },

  'adding nothing changes nothing': async (stores) => {
    await setUp(stores);
    await stores.usage.add([]);
    deepStrictEqual(await linesOf(stores, 'day'), []);
  },

  'the counts of a profile are removed with it': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUse(ada, roads), aUse(ada, null), aUse(bob, roads)]);
    await stores.profiles.remove(ada.id, () => noEffects);
    deepStrictEqual(await linesOf(stores, 'profile'), [[bob.email, reads(1)]]);
  },

  'the counts of a collection are removed with it': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await stores.usage.add([aUse(ada, roads), aUse(ada, bridges), aUse(ada, null)]);
    await stores.collections.remove(roads.id, () => noEffects);
    deepStrictEqual(await linesOf(stores, 'collection'), [
      [bridges.name, reads(1)],
      [null, reads(1)],
    ]);
  },

  'days are reported oldest first': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([
      on(today, aUse(ada, roads)),
      on(today - 1, aUse(bob, roads)),
      on(today - 1, aUse(ada, null)),
    ]);
    deepStrictEqual(await linesOf(stores, 'day'), [
      [today - 1, reads(2)],
      [today, reads(1)],
    ]);
  },

  'collections are reported by name, ignoring case, followed by uses without a collection': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await stores.usage.add([aUse(ada, null), aUse(ada, roads), aUse(ada, bridges)]);
    deepStrictEqual(
      (await stores.usage.report('collection', always, linesMax)).map(({ of }) => of),
      [
        { by: 'collection', collectionId: bridges.id, collectionName: bridges.name },
        { by: 'collection', collectionId: roads.id, collectionName: roads.name },
        { by: 'collection', collectionId: null, collectionName: null },
      ],
    );
  },

  'profiles are reported by e-mail': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUse(bob, roads), aUse(ada, null), aUse(ada, roads)]);
    const of = ({ id, email }: Profile) => ({ by: 'profile', profileId: id, profileEmail: email });
    deepStrictEqual(await stores.usage.report('profile', always, linesMax), [
      { of: of(ada), counts: reads(2) },
      { of: of(bob), counts: reads(1) },
    ]);
  },

  'a report includes its first day and excludes its end': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([today - 2, today - 1, today].map((day) => on(day, aUse(ada, roads))));
    deepStrictEqual(await linesOf(stores, 'day', { first: today - 1, end: today }), [[today - 1, reads(1)]]);
  },

  'a report covers one profile, one collection, or both': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.add([aUse(ada, roads), aUse(ada, bridges), aUse(bob, roads), aUse(bob, null)]);
    const countsFor = async (filter: Partial<UsageFilter>) =>
      (await linesOf(stores, 'day', filter)).map(([, of]) => of);
    deepStrictEqual(await countsFor({ profileId: ada.id }), [reads(2)]);
    deepStrictEqual(await countsFor({ collectionId: roads.id }), [reads(2)]);
    deepStrictEqual(await countsFor({ profileId: bob.id, collectionId: roads.id }), [reads(1)]);
    deepStrictEqual(await countsFor({ profileId: bob.id, collectionId: bridges.id }), []);
  },

  'a report has no lines without uses': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUse(ada, null, { counts: noUses }), aUse(bob, roads)]);
    deepStrictEqual(await linesOf(stores, 'profile'), [[bob.email, reads(1)]]);
    deepStrictEqual(await linesOf(stores, 'collection'), [[roads.name, reads(1)]]);
  },

  'a report has at most the requested number of lines': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([today - 2, today - 1, today].map((day) => on(day, aUse(ada, roads))));
    const days = (await stores.usage.report('day', always, 2)).map(({ of }) => of);
    deepStrictEqual(
      days,
      [today - 2, today - 1].map((day) => ({ by: 'day', day })),
    );
  },

  'a report can be sorted by uses, most first, with ties in the usual order': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([
      on(today - 2, aUse(ada, roads)),
      on(today - 1, aUse(ada, roads)),
      on(today - 1, aUse(bob, null)),
      on(today, aUse(bob, roads)),
    ]);
    const most = (limit: number) => stores.usage.report('day', always, limit, 'most');
    const days = (await most(9)).map(({ of }) => (of.by === 'day' ? of.day - today : null));
    deepStrictEqual(days, [-1, -2, 0]);
    strictEqual((await most(1)).length, 1);
  },

  'the last use of a profile is its latest use of any kind, and that of its key its latest use by key': async (
    stores,
  ) => {
    const { ada, bob, roads } = await setUp(stores);
    const never = aProfile();
    await stores.usage.add([
      aUse(ada, roads, { lastUsedAt: start - dayMs + 7, keyUsedAt: start - dayMs + 5 }),
      aUse(ada, null, { lastUsedAt: start + 1 }),
      aUse(bob, roads, { lastUsedAt: start + 9 }),
    ]);
    deepStrictEqual(
      await stores.usage.profileUses([ada.id, bob.id, never.id]),
      new Map([
        [ada.id, { lastUsedAt: start + 1, keyUsedAt: start - dayMs + 5 }],
        [bob.id, { lastUsedAt: start + 9, keyUsedAt: null }],
      ]),
    );
    strictEqual((await stores.usage.profileUses([])).size, 0);
  },

  'the last use of a collection is the latest by anyone, or by one profile': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.add([
      aUse(ada, roads, { lastUsedAt: start + 1 }),
      aUse(bob, roads, { lastUsedAt: start - dayMs }),
      aUse(bob, null, { lastUsedAt: start + 9 }),
    ]);
    const ids = [roads.id, bridges.id];
    deepStrictEqual(await stores.usage.collectionUses(ids, null), new Map([[roads.id, start + 1]]));
    deepStrictEqual(await stores.usage.collectionUses(ids, bob.id), new Map([[roads.id, start - dayMs]]));
    deepStrictEqual(await stores.usage.collectionUses([bridges.id], null), new Map());
  },

  'the times of the last use only increase': async (stores) => {
    const { ada, roads } = await setUp(stores);
    for (const [lastUsedAt, keyUsedAt] of [
      [start + 5, null],
      [start + 3, start + 3],
      [start + 4, null],
      [start + 2, start + 2],
    ] as const)
      await stores.usage.add([aUse(ada, roads, { lastUsedAt, keyUsedAt })]);
    const last = { lastUsedAt: start + 5, keyUsedAt: start + 3 };
    deepStrictEqual(await stores.usage.profileUses([ada.id]), new Map([[ada.id, last]]));
    deepStrictEqual(await stores.usage.collectionUses([roads.id], null), new Map([[roads.id, start + 5]]));
  },

  'pruning removes the counts of days before the given one, oldest first, up to its limit': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const ofThreeDays = [today - 2, today - 1, today].flatMap((day) => [
      on(day, aUse(ada, roads)),
      on(day, aUse(bob, null)),
    ]);
    await stores.usage.add(ofThreeDays.toReversed());
    strictEqual(await stores.usage.prune(today, 3), 3);
    deepStrictEqual(await linesOf(stores, 'day'), [
      [today - 1, reads(1)],
      [today, reads(2)],
    ]);
    strictEqual(await stores.usage.prune(today, 3), 1);
    strictEqual(await stores.usage.prune(today, 3), 0);
    deepStrictEqual(await linesOf(stores, 'day'), [[today, reads(2)]]);
  },
} as const satisfies Contract<Stores>;

/** Adds two profiles and two collections, each pair in the reverse of the order that reports use. */
const setUp = async ({ profiles, collections }: Stores) => {
  const [ada, bob] = [aProfile({ email: 'ada@example.com' }), aProfile({ email: 'bob@example.com' })];
  const [bridges, roads] = [aCollection({ name: 'bridges' }), aCollection({ name: 'Roads' })];
  for (const profile of [bob, ada]) await profiles.add(profile, noEffects);
  for (const collection of [roads, bridges]) await collections.add(collection, aContent(), noEffects);
  return { ada, bob, roads, bridges } satisfies Readonly<Record<string, Profile | Collection>>;
};

const reads = (read: number): UsageCounts => ({ ...noUses, read });

const on = (day: number, use: DayUse): DayUse => ({ ...use, day });

/** Returns the subject and the counts of each line of the report. */
const linesOf = async ({ usage }: Stores, by: UsageGrouping, filter: Partial<UsageFilter> = {}) =>
  (await usage.report(by, { ...always, ...filter }, linesMax)).map(({ of, counts }) => {
    const subject = of.by === 'day' ? of.day : of.by === 'collection' ? of.collectionName : of.profileEmail;
    return [subject, counts] as const;
  });
