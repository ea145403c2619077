import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { dayOf, noUses, operationsPerDayMax } from '@portico/domain';
import type { OperationDayUse, OperationKey, Profile, UsageFilter, UsageLine } from '@portico/domain';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aDocumentContent,
  anOperation,
  anOperationUsageRecord,
  aProfile,
  noEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

const today = dayOf(start);
const anyTime: UsageFilter = { first: 0, end: today + 100, profileId: null, collectionId: null };
const linesMax = 5_000;

/** The contract of `UsageStore`, for uses of operations. */
export const operationUsageContract = {
  'slices and calls of an operation are added up by day and profile': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    const counts = { slice: 2, call: 30 };
    for (let time = 0; time < 2; time++)
      await stores.usage.addOperations([
        anOperationUsageRecord(ada, roads, toll, { counts }),
        anOperationUsageRecord(ada, roads, toll, { counts, day: today - 1 }),
        anOperationUsageRecord(ada, roads, map, { counts: { slice: 0, call: 5 } }),
        anOperationUsageRecord(bob, roads, toll),
      ]);
    deepStrictEqual(await countsOf(stores, { profileId: ada.id, first: today }), [
      [map, 0, 10],
      [toll, 4, 60],
    ]);
    deepStrictEqual(await countsOf(stores), [
      [map, 0, 10],
      [toll, 10, 120],
    ]);
  },

  'concurrently added uses of operations are all counted': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const uses = [
      anOperationUsageRecord(ada, roads, toll),
      anOperationUsageRecord(bob, bridges, toll),
      anOperationUsageRecord(ada, roads, map),
    ];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores.usage.addOperations(index % 2 ? uses : uses.toReversed())),
    );
    deepStrictEqual(await countsOf(stores), [
      [toll, 20, 0],
      [map, 20, 0],
      [toll, 20, 0],
    ]);
  },

  'uses of operations of a missing profile or collection are left out, and the others are stored': async (stores) => {
    const { ada, roads } = await setUp(stores);
    await stores.usage.addOperations([
      anOperationUsageRecord(aProfile(), roads, toll),
      anOperationUsageRecord(ada, aCollection(), toll),
      anOperationUsageRecord(ada, roads, map),
    ]);
    await stores.usage.addOperations([]);
    deepStrictEqual(await countsOf(stores), [[map, 1, 0]]);
  },

  'a profile has a maximum number of operations per day; beyond that, only those that have counts are counted': async (
    stores,
  ) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    const keys = Array.from({ length: operationsPerDayMax }, (_, index) => `key ${index}` as OperationKey);
    const [lastKey = toll, ...otherKeys] = keys;
    const usesOf = (profile: Profile, keysOfUses: readonly OperationKey[]) =>
      keysOfUses.map((key) => anOperationUsageRecord(profile, roads, key));
    await stores.usage.addOperations(usesOf(ada, otherKeys));
    await stores.usage.addOperations(usesOf(ada, [lastKey]));
    await stores.usage.addOperations([
      anOperationUsageRecord(ada, bridges, map),
      ...usesOf(ada, [toll, lastKey]),
      ...usesOf(bob, [...otherKeys.slice(1), toll, map]),
      anOperationUsageRecord(ada, roads, toll, { day: today - 1 }),
    ]);
    const lines = await countsOf(stores, { profileId: ada.id, first: today });
    deepStrictEqual(
      lines.filter(([, slices]) => slices !== 1),
      [[lastKey, 2, 0]],
    );
    strictEqual(lines.length, operationsPerDayMax);
    strictEqual((await countsOf(stores, { profileId: bob.id })).length, operationsPerDayMax);
    await stores.usage.addOperations(usesOf(bob, [...keys, toll]));
    strictEqual((await countsOf(stores, { profileId: bob.id })).length, operationsPerDayMax);
    deepStrictEqual(await countsOf(stores, { end: today }), [[toll, 1, 0]]);
  },

  'the maximum number of operations applies to concurrent additions together': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const additionSize = operationsPerDayMax / 4;
    await Promise.all(
      Array.from({ length: 8 }, (_, addition) =>
        stores.usage.addOperations(
          Array.from({ length: additionSize }, (_use, index) =>
            anOperationUsageRecord(ada, roads, `key ${addition} ${index}` as OperationKey),
          ),
        ),
      ),
    );
    strictEqual((await countsOf(stores)).length, operationsPerDayMax);
  },

  'removing a profile removes its counts of operations': async (stores) => {
    const { ada, bob, roads } = await setUp(stores);
    await stores.usage.addOperations([
      anOperationUsageRecord(ada, roads, toll),
      anOperationUsageRecord(bob, roads, toll),
    ]);
    await stores.profiles.remove(ada.id, () => noEffects);
    deepStrictEqual(await countsOf(stores), [[toll, 1, 0]]);
  },

  'removing a collection removes the counts of its operations, and removing an operation does not': async (stores) => {
    const { ada, roads, bridges } = await setUp(stores);
    await stores.usage.addOperations([
      anOperationUsageRecord(ada, roads, toll),
      anOperationUsageRecord(ada, bridges, toll),
    ]);
    await stores.collections.remove(bridges.id, () => noEffects);
    await stores.operations.replace(roads.id, roads.documentDigest, []);
    const [line, ...otherLines] = await stores.usage.report('operation', anyTime, linesMax);
    deepStrictEqual(otherLines, []);
    deepStrictEqual(line, {
      subject: {
        by: 'operation',
        ...{ operationKey: toll, method: null, path: null },
        ...{ collectionId: roads.id, collectionName: roads.name },
      },
      counts: { ...noUses, slice: 1 },
    } satisfies UsageLine);
  },

  'operations are reported with method and path, by collection and as in the document, followed by removed operations':
    async (stores) => {
      const { ada, roads, bridges } = await setUp(stores);
      await stores.usage.addOperations([
        ...['a removed one', 'z removed one'].map((key) => anOperationUsageRecord(ada, roads, key as OperationKey)),
        anOperationUsageRecord(ada, roads, toll),
        anOperationUsageRecord(ada, roads, map),
        anOperationUsageRecord(ada, bridges, toll),
      ]);
      const lines = await stores.usage.report('operation', anyTime, linesMax);
      deepStrictEqual(
        lines.map(({ subject }) =>
          subject.by === 'operation' ? [subject.collectionName, subject.method, subject.path] : null,
        ),
        [
          [bridges.name, 'PUT', '/tolls'],
          [roads.name, 'GET', '/map'],
          [roads.name, 'PUT', '/tolls'],
          [roads.name, null, null],
          [roads.name, null, null],
        ],
      );
    },

  'the users of operations are those since a time, each once, and not those of other operations or collections': async (
    stores,
  ) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.addOperations([
      ...[today - 1, today].map((day) => anOperationUsageRecord(ada, roads, toll, { day, lastUsedAt: start })),
      anOperationUsageRecord(bob, roads, toll, { lastUsedAt: start - 1 }),
      anOperationUsageRecord(bob, roads, map, { lastUsedAt: start }),
      anOperationUsageRecord(bob, bridges, toll, { lastUsedAt: start }),
    ]);
    const list = async (operations: readonly OperationKey[], since: number, limit = linesMax) =>
      (await stores.usage.listOperationUsers(roads.id, operations, since, limit))
        .map(({ operationKey, profileId }) => `${operationKey} ${profileId === ada.id ? 'ada' : 'bob'}`)
        .sort();
    deepStrictEqual(await list([toll], start), [`${toll} ada`]);
    deepStrictEqual(await list([toll], start - 1), [`${toll} ada`, `${toll} bob`]);
    deepStrictEqual(await list([toll, map], start), [`${map} bob`, `${toll} ada`].sort());
    strictEqual((await list([toll, map], 0, 2)).length, 2);
    deepStrictEqual(await list([], 0), []);
  },

  'a report of operations has the requested days, profile, collection and number of lines': async (stores) => {
    const { ada, bob, roads, bridges } = await setUp(stores);
    await stores.usage.addOperations([
      ...[today - 2, today - 1, today].map((day) => anOperationUsageRecord(ada, roads, toll, { day })),
      anOperationUsageRecord(bob, roads, map),
      anOperationUsageRecord(bob, bridges, map),
    ]);
    deepStrictEqual(await countsOf(stores, { first: today - 1, end: today }), [[toll, 1, 0]]);
    deepStrictEqual(await countsOf(stores, { profileId: ada.id }), [[toll, 3, 0]]);
    deepStrictEqual(await countsOf(stores, { collectionId: bridges.id }), [[map, 1, 0]]);
    deepStrictEqual(await countsOf(stores, { profileId: ada.id, collectionId: bridges.id }), []);
    strictEqual((await stores.usage.report('operation', anyTime, 2)).length, 2);
    const [mostUsedLine] = await stores.usage.report('operation', anyTime, 1, 'most');
    strictEqual(mostUsedLine?.counts.slice, 3);
  },

  'a report of operations does not contain lines without uses': async (stores) => {
    const { ada, roads } = await setUp(stores);
    const counts = { slice: 0, call: 0 };
    await stores.usage.addOperations([
      anOperationUsageRecord(ada, roads, toll, { counts }),
      anOperationUsageRecord(ada, roads, map, { counts: { slice: 0, call: 1 } }),
    ]);
    deepStrictEqual(await countsOf(stores), [[map, 0, 1]]);
  },

  'pruning removes the counts of operations of days before the given day, oldest first, up to the limit': async (
    stores,
  ) => {
    const { ada, bob, roads } = await setUp(stores);
    const uses = [today - 2, today - 1, today].flatMap((day): OperationDayUse[] => [
      anOperationUsageRecord(ada, roads, toll, { day }),
      anOperationUsageRecord(bob, roads, map, { day }),
    ]);
    await stores.usage.addOperations(uses.toReversed());
    strictEqual(await stores.usage.pruneOperations(today, 3), 3);
    deepStrictEqual(await countsOf(stores, { end: today - 1 }), []);
    strictEqual((await countsOf(stores, { end: today })).length, 1);
    strictEqual(await stores.usage.pruneOperations(today, 0), 0);
    strictEqual(await stores.usage.pruneOperations(today, 3), 1);
    deepStrictEqual(await countsOf(stores), [
      [map, 1, 0],
      [toll, 1, 0],
    ]);
  },
} as const satisfies Contract<Stores>;

const [toll, map] = ['aaaaaaaaaaaaaaaa' as OperationKey, 'bbbbbbbbbbbbbbbb' as OperationKey];
const operations = [
  anOperation({ key: map, method: 'GET', path: '/map' }),
  anOperation({ key: toll, method: 'PUT', path: '/tolls' }),
];

/** Adds two profiles, and two collections with two operations each, in the reverse of the order that reports use. */
const setUp = async ({ profiles, collections }: Stores) => {
  const [ada, bob] = [aProfile({ email: 'ada@example.com' }), aProfile({ email: 'bob@example.com' })];
  const [bridges, roads] = [aCollection({ name: 'bridges' }), aCollection({ name: 'Roads' })];
  for (const profile of [bob, ada]) await profiles.add(profile, noEffects);
  for (const collection of [roads, bridges])
    await collections.add(collection, aDocumentContent(undefined, operations), noEffects);
  return { ada, bob, roads, bridges };
};

/** Returns the key, the slices and the calls of each line of the report. */
const countsOf = async ({ usage }: Stores, filter: Partial<UsageFilter> = {}) =>
  (await usage.report('operation', { ...anyTime, ...filter }, linesMax)).map(
    ({ subject, counts: { slice, call } }) =>
      [subject.by === 'operation' ? subject.operationKey : null, slice, call] as const,
  );
