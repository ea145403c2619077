import {
  toClientPair,
  noUses,
  usageLinesMax,
  usageRetentionDays,
  type OperationKey,
  type UsageStore,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const dayMs = 86_400_000;
const forecast = 'aaaaaaaaaaaaaaaa' as OperationKey;
const allUsage = { by: 'day', profileId: null, collectionId: null, from: null, to: null } as const;

/** Creates a harness where some of the store's methods are replaced. The replacements may use the original store. */
const setUp = async (replace: (original: UsageStore) => Partial<UsageStore> = () => ({})) => {
  const baseHarness = createHarness();
  const { ports, clock } = baseHarness;
  const harness = createHarness({}, { ...ports, usage: { ...ports.usage, ...replace(ports.usage) } });
  const fixtures = await createFixtures({ ...harness, tokens: baseHarness.tokens });
  return { ...harness, ...fixtures, clock, embedder: baseHarness.embedder, admin: await fixtures.admitByToken('root') };
};

test('nothing is written before `writeUsage`, regardless of the number of reads', async () => {
  let additions = 0;
  const { useCases, approveClient, authority, admitByKey, createCollection, admin } = await setUp((original) => ({
    add: (uses) => ((additions += 1), original.add(uses)),
  }));
  const { id, key } = await approveClient('ada');
  const weather = await createCollection('weather');
  await useCases.grantAccess(authority, toClientPair(id, weather));
  for (let time = 1; time <= 100; time += 1) {
    await useCases.readMetadata(await admitByKey(key, weather));
    await useCases.searchCollections(await admitByKey(key, null), 'weather', 1);
  }
  expect(additions).toBe(0);
  await useCases.writeUsage();
  expect(additions).toBe(1);
  const lines = await useCases.readUsage(admin, allUsage);
  expect(lines.map(({ counts }) => counts)).toEqual([{ ...noUses, read: 100, search: 100 }]);
  await useCases.writeUsage();
  expect(additions).toBe(1);
});

test('counts that could not be written are written the next time, and written counts are not written twice', async () => {
  const failingAdditions = new Set([2, 3]);
  let additions = 0;
  const { useCases, admin, clock } = await setUp((original) => ({
    add: async (uses) => {
      additions += 1;
      if (failingAdditions.has(additions)) throw new Error('The database is down');
      await original.add(uses);
    },
  }));
  // Each day has its own row, and one statement writes 1,000 rows.
  for (let day = 1; day <= 2_500; day += 1) {
    clock.advance(dayMs);
    useCases.countUse(admin, 'search', null);
  }
  for (let time = 1; time <= 2; time += 1) await expect(useCases.writeUsage()).rejects.toThrow('down');
  expect(await useCases.writeUsage()).toBe(0);
  const lines = await useCases.readUsage(admin, { ...allUsage, from: 0 });
  expect(lines.map(({ counts }) => counts.search)).toEqual(Array.from({ length: 2_500 }, () => 1));
});

test('counts of operations that could not be written are written the next time, and counts of collections not twice', async () => {
  const failures = ['add', 'addOperations'];
  const failOnce = (method: string) => {
    if (failures[0] === method && failures.shift()) throw new Error('The database is down');
  };
  const { useCases, admin, createCollection } = await setUp((original) => ({
    add: async (uses) => (failOnce('add'), original.add(uses)),
    addOperations: async (uses) => (failOnce('addOperations'), original.addOperations(uses)),
  }));
  const weather = await createCollection('weather');
  for (let time = 1; time <= 2; time += 1) {
    useCases.countUse(admin, 'call', weather, forecast);
    await expect(useCases.writeUsage()).rejects.toThrow('down');
  }
  expect(await useCases.writeUsage()).toBe(0);
  await useCases.writeUsage();
  for (const by of ['collection', 'operation'] as const)
    expect(await useCases.readUsage(admin, { ...allUsage, by })).toMatchObject([{ counts: { ...noUses, call: 2 } }]);
});

test(`a report has up to ${usageLinesMax} lines, and a longer one is rejected`, async () => {
  let storedLines = usageLinesMax;
  const { useCases, admin } = await setUp(() => ({
    report: async (_by, _filter, limit) =>
      Array.from({ length: Math.min(storedLines, limit) }, (_, day) => ({
        subject: { by: 'day', day },
        counts: noUses,
      })),
  }));
  expect(await useCases.readUsage(admin, allUsage)).toHaveLength(usageLinesMax);
  storedLines += 1;
  await expect(useCases.readUsage(admin, allUsage)).rejects.toMatchObject({
    code: 'invalid_query',
    message:
      'Invalid query parameter: more than 10,000 lines: request a shorter period, one collection, one profile or only the top lines',
  });
});

test(`counts are stored for ${usageRetentionDays} days, and no longer`, async () => {
  const { useCases, admin, clock, createCollection } = await setUp();
  useCases.countUse(admin, 'call', await createCollection('weather'), forecast);
  await useCases.writeUsage();
  clock.advance(usageRetentionDays * dayMs);
  expect(await useCases.pruneUsage()).toBe(0);
  clock.advance(dayMs);
  // The admission of the admin, the use of the collection, and the use of the operation.
  expect(await useCases.pruneUsage()).toBe(3);
  for (const by of ['day', 'operation'] as const)
    expect(await useCases.readUsage(admin, { ...allUsage, by, from: 0 })).toEqual([]);
});

test('at most 1,000 counts are pruned at a time, those of collections before those of operations', async () => {
  const prunings: unknown[] = [];
  const record = (kind: string, removed: number) => async (_before: number, limit: number) => {
    prunings.push([kind, limit]);
    return removed;
  };
  const { useCases } = await setUp(() => ({
    prune: record('collections', 400),
    pruneOperations: record('operations', 600),
  }));
  expect(await useCases.pruneUsage()).toBe(1_000);
  expect(prunings).toEqual([
    ['collections', 1_000],
    ['operations', 600],
  ]);
});

test('a rejected search does not count as a use', async () => {
  const { useCases, admin, embedder, createCollection, runJobs } = await setUp();
  await createCollection('weather');
  await runJobs();
  embedder.interrupt();
  await expect(useCases.searchCollections(admin, 'weather', 1)).rejects.toThrow();
  expect(useCases.getUsageTotals()).toEqual(noUses);
});
