import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { dayOf, noUses, usageKinds } from '@portico/domain';
import type { Collection, DayUse, Profile, UsageCounts, UsageFilter, UsageGrouping } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, aProfile, aUsageRecord, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const today = dayOf(start);
const dayMs = 86_400_000;
const anyTime: UsageFilter = { first: 0, end: today + 100, profileId: null, collectionId: null };
const linesMax = 99;

/** The contract of `UsageStore`. */
export const usageStoreContract = {
  'the counts of each kind are summed by day': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const counts = Object.fromEntries(
      usageKinds.map((kind, index) => [kind, (index + 1) * 10 ** index]),
    ) as UsageCounts;
    await stores.usage.add([aUsageRecord(ada, roads, { counts })]);
    deepStrictEqual(await stores.usage.report('day', anyTime, linesMax), [
      { subject: { by: 'day', day: today }, counts },
    ]);
  },

  'uses with the same day, profile and collection are added up': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([aUsageRecord(ada, roads), aUsageRecord(ada, null)]);
    await stores.usage.add([aUsageRecord(ada, roads), aUsageRecord(ada, null)]);
    deepStrictEqual(await linesOf(stores, 'collection'), [
      [roads.name, readCounts(2)],
      [null, readCounts(2)],
    ]);
  },

  'concurrently added uses are all counted': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const uses = [aUsageRecord(ada, roads), aUsageRecord(bob, bridges), aUsageRecord(ada, null)];
    await Promise.all(Array.from({ length: 20 }, (_, index) => stores.usage.add(index % 2 ? uses : uses.toReversed())));
    deepStrictEqual(await linesOf(stores, 'day'), [[today, readCounts(60)]]);
  },

  'uses of a missing profile or collection are left out, and the others are stored': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([
      aUsageRecord(aProfile(), roads),
      aUsageRecord(ada, aCollection()),
      aUsageRecord(aProfile(), null),
      aUsageRecord(ada, roads),
    ]);
    deepStrictEqual(await linesOf(stores, 'profile'), [[ada.email, readCounts(1)]]);
  },

  'adding nothing changes nothing': async (stores) => {
    await setUp(stores);
    await stores.usage.add([]);
    deepStrictEqual(await linesOf(stores, 'day'), []);
  },

  'removing a profile removes its counts': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUsageRecord(ada, roads), aUsageRecord(ada, null), aUsageRecord(bob, roads)]);
    await stores.profiles.remove(ada.id, () => noEffects);
    deepStrictEqual(await linesOf(stores, 'profile'), [[bob.email, readCounts(1)]]);
  },

  'removing a collection removes its counts': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await stores.usage.add([aUsageRecord(ada, roads), aUsageRecord(ada, bridges), aUsageRecord(ada, null)]);
    await stores.collections.remove(roads.id, () => noEffects);
    deepStrictEqual(await linesOf(stores, 'collection'), [
      [bridges.name, readCounts(1)],
      [null, readCounts(1)],
    ]);
  },

  'days are reported oldest first': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([
      moveToDay(today, aUsageRecord(ada, roads)),
      moveToDay(today - 1, aUsageRecord(bob, roads)),
      moveToDay(today - 1, aUsageRecord(ada, null)),
    ]);
    deepStrictEqual(await linesOf(stores, 'day'), [
      [today - 1, readCounts(2)],
      [today, readCounts(1)],
    ]);
  },

  'collections are reported by name, ignoring case, followed by uses without a collection': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await stores.usage.add([aUsageRecord(ada, null), aUsageRecord(ada, roads), aUsageRecord(ada, bridges)]);
    deepStrictEqual(
      (await stores.usage.report('collection', anyTime, linesMax)).map(({ subject }) => subject),
      [
        { by: 'collection', collectionId: bridges.id, collectionName: bridges.name },
        { by: 'collection', collectionId: roads.id, collectionName: roads.name },
        { by: 'collection', collectionId: null, collectionName: null },
      ],
    );
  },

  'profiles are reported by email': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUsageRecord(bob, roads), aUsageRecord(ada, null), aUsageRecord(ada, roads)]);
    const subjectOf = ({ id, email }: Profile) => ({ by: 'profile', profileId: id, profileEmail: email });
    deepStrictEqual(await stores.usage.report('profile', anyTime, linesMax), [
      { subject: subjectOf(ada), counts: readCounts(2) },
      { subject: subjectOf(bob), counts: readCounts(1) },
    ]);
  },

  'a report includes its first day and excludes its end': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([today - 2, today - 1, today].map((day) => moveToDay(day, aUsageRecord(ada, roads))));
    deepStrictEqual(await linesOf(stores, 'day', { first: today - 1, end: today }), [[today - 1, readCounts(1)]]);
  },

  'a report covers one profile, one collection, or both': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.add([
      aUsageRecord(ada, roads),
      aUsageRecord(ada, bridges),
      aUsageRecord(bob, roads),
      aUsageRecord(bob, null),
    ]);
    const countsFor = async (filter: Partial<UsageFilter>) =>
      (await linesOf(stores, 'day', filter)).map(([, counts]) => counts);
    deepStrictEqual(await countsFor({ profileId: ada.id }), [readCounts(2)]);
    deepStrictEqual(await countsFor({ collectionId: roads.id }), [readCounts(2)]);
    deepStrictEqual(await countsFor({ profileId: bob.id, collectionId: roads.id }), [readCounts(1)]);
    deepStrictEqual(await countsFor({ profileId: bob.id, collectionId: bridges.id }), []);
  },

  'a report does not contain lines without uses': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([aUsageRecord(ada, null, { counts: noUses }), aUsageRecord(bob, roads)]);
    deepStrictEqual(await linesOf(stores, 'profile'), [[bob.email, readCounts(1)]]);
    deepStrictEqual(await linesOf(stores, 'collection'), [[roads.name, readCounts(1)]]);
  },

  'a report has at most the requested number of lines': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.add([today - 2, today - 1, today].map((day) => moveToDay(day, aUsageRecord(ada, roads))));
    const days = (await stores.usage.report('day', anyTime, 2)).map(({ subject }) => subject);
    deepStrictEqual(
      days,
      [today - 2, today - 1].map((day) => ({ by: 'day', day })),
    );
  },

  'a report can be sorted by the number of uses, highest first, with equal lines in the usual order': async (
    stores,
  ) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.add([
      moveToDay(today - 2, aUsageRecord(ada, roads)),
      moveToDay(today - 1, aUsageRecord(ada, roads)),
      moveToDay(today - 1, aUsageRecord(bob, null)),
      moveToDay(today, aUsageRecord(bob, roads)),
    ]);
    const reportMostUsed = (limit: number) => stores.usage.report('day', anyTime, limit, 'most');
    const days = (await reportMostUsed(9)).map(({ subject }) => (subject.by === 'day' ? subject.day - today : null));
    deepStrictEqual(days, [-1, -2, 0]);
    strictEqual((await reportMostUsed(1)).length, 1);
  },

  'the last use of a profile is its latest use of any kind, and the last use of its key is its latest use by key':
    async (stores) => {
      const { ada, bob, roads } = await setUp(stores);
      const unusedProfile = aProfile();
      await stores.usage.add([
        aUsageRecord(ada, roads, { lastUsedAt: start - dayMs + 7, keyUsedAt: start - dayMs + 5 }),
        aUsageRecord(ada, null, { lastUsedAt: start + 1 }),
        aUsageRecord(bob, roads, { lastUsedAt: start + 9 }),
      ]);
      deepStrictEqual(
        await stores.usage.findProfileUses([ada.id, bob.id, unusedProfile.id]),
        new Map([
          [ada.id, { lastUsedAt: start + 1, keyUsedAt: start - dayMs + 5 }],
          [bob.id, { lastUsedAt: start + 9, keyUsedAt: null }],
        ]),
      );
      strictEqual((await stores.usage.findProfileUses([])).size, 0);
    },

  'the last use of a collection is its latest use by anyone or by one profile': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.add([
      aUsageRecord(ada, roads, { lastUsedAt: start + 1 }),
      aUsageRecord(bob, roads, { lastUsedAt: start - dayMs }),
      aUsageRecord(bob, null, { lastUsedAt: start + 9 }),
    ]);
    const ids = [roads.id, bridges.id];
    deepStrictEqual(await stores.usage.findCollectionUses(ids, null), new Map([[roads.id, start + 1]]));
    deepStrictEqual(await stores.usage.findCollectionUses(ids, bob.id), new Map([[roads.id, start - dayMs]]));
    deepStrictEqual(await stores.usage.findCollectionUses([bridges.id], null), new Map());
  },

  'the time of the last use never decreases': async (stores) => {
    const { ada, roads } = await setUp(stores);
    for (const [lastUsedAt, keyUsedAt] of [
      [start + 5, null],
      [start + 3, start + 3],
      [start + 4, null],
      [start + 2, start + 2],
    ] as const)
      await stores.usage.add([aUsageRecord(ada, roads, { lastUsedAt, keyUsedAt })]);
    const lastUse = { lastUsedAt: start + 5, keyUsedAt: start + 3 };
    deepStrictEqual(await stores.usage.findProfileUses([ada.id]), new Map([[ada.id, lastUse]]));
    deepStrictEqual(await stores.usage.findCollectionUses([roads.id], null), new Map([[roads.id, start + 5]]));
  },

  'pruning removes the counts of days before the given day, oldest first, up to the limit': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const records = [today - 2, today - 1, today].flatMap((day) => [
      moveToDay(day, aUsageRecord(ada, roads)),
      moveToDay(day, aUsageRecord(bob, null)),
    ]);
    await stores.usage.add(records.toReversed());
    strictEqual(await stores.usage.prune(today, 3), 3);
    deepStrictEqual(await linesOf(stores, 'day'), [
      [today - 1, readCounts(1)],
      [today, readCounts(2)],
    ]);
    strictEqual(await stores.usage.prune(today, 3), 1);
    strictEqual(await stores.usage.prune(today, 3), 0);
    deepStrictEqual(await linesOf(stores, 'day'), [[today, readCounts(2)]]);
  },
} as const satisfies Contract<Stores>;

/** Adds two profiles and two collections, each pair in the reverse of the order that reports use. */
const setUp = async ({ profiles, collections }: Stores) => {
  const [ada, bob] = [aProfile({ email: 'ada@example.com' }), aProfile({ email: 'bob@example.com' })];
  const [bridges, roads] = [aCollection({ name: 'bridges' }), aCollection({ name: 'Roads' })];
  for (const profile of [bob, ada]) await profiles.add(profile, noEffects);
  for (const collection of [roads, bridges]) await collections.add(collection, aDocumentContent(), noEffects);
  return { ada, bob, roads, bridges } satisfies Readonly<Record<string, Profile | Collection>>;
};

const readCounts = (read: number): UsageCounts => ({ ...noUses, read });

const moveToDay = (day: number, use: DayUse): DayUse => ({ ...use, day });

/** Returns the subject and the counts of each line of the report. */
const linesOf = async ({ usage }: Stores, by: UsageGrouping, filter: Partial<UsageFilter> = {}) =>
  (await usage.report(by, { ...anyTime, ...filter }, linesMax)).map(({ subject, counts }) => {
    const name =
      subject.by === 'day' ? subject.day : subject.by === 'profile' ? subject.profileEmail : subject.collectionName;
    return [name, counts] as const;
  });
