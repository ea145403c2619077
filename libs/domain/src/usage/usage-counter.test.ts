import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { CollectionId, OperationKey, ProfileId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import { createUsageCounter, type UsageCaller, pendingUsesMax } from './usage-counter.ts';
import { dayOf, noUses, sumUses } from './usage.ts';

const start = Date.UTC(2026, 0, 31, 23, 59, 59);
const weather = 'weather' as CollectionId;
const forecast = 'forecast' as OperationKey;

const caller = (id = 'ada', fields: Partial<UsageCaller> = {}): UsageCaller => ({
  profile: { id: id as ProfileId } as Profile,
  via: 'token',
  deadline: null,
  ...fields,
});

const setUp = () => {
  const clock = { now: start };
  return { clock, counter: createUsageCounter(() => clock.now) };
};

const noBatch = { uses: [], operations: [] };
const usesOfAda = { day: dayOf(start), profileId: 'ada', collectionId: null, lastUsedAt: start, keyUsedAt: null };

test('uses are counted by kind, and each is taken only once', () => {
  const { counter } = setUp();
  for (const kind of ['read', 'read', 'credential_read'] as const) counter.count(caller(), kind, weather);
  counter.count(caller(), 'search', null);
  expect(counter.take()).toEqual({
    uses: [
      { ...usesOfAda, collectionId: weather, counts: { ...noUses, read: 2, credential_read: 1 } },
      { ...usesOfAda, counts: { ...noUses, search: 1 } },
    ],
    operations: [],
  });
  expect(counter.take()).toEqual(noBatch);
  expect(counter.getTotals()).toEqual({ ...noUses, read: 2, search: 1, credential_read: 1 });
});

test('slices and calls are counted for the collection and for each operation', () => {
  const { counter, clock } = setUp();
  const history = 'history' as OperationKey;
  for (const kind of ['slice', 'call', 'call'] as const) counter.count(caller(), kind, weather, forecast);
  clock.now += 5;
  counter.count(caller(), 'call', weather, history);
  const useOfAda = { day: dayOf(start), profileId: 'ada', collectionId: weather };
  expect(counter.take()).toEqual({
    uses: [{ ...useOfAda, counts: { ...noUses, slice: 1, call: 3 }, lastUsedAt: start + 5, keyUsedAt: null }],
    operations: [
      { ...useOfAda, operationKey: forecast, counts: { slice: 1, call: 2 }, lastUsedAt: start },
      { ...useOfAda, operationKey: history, counts: { slice: 0, call: 1 }, lastUsedAt: start + 5 },
    ],
  });
  expect(counter.take()).toEqual(noBatch);
  expect(counter.getTotals()).toEqual({ ...noUses, slice: 1, call: 3 });
});

test('a use of an operation is counted only if the use of its collection is', () => {
  const { counter } = setUp();
  counter.count(caller('robot', { via: 'account' }), 'call', weather, forecast);
  counter.count(caller('ada', { deadline: { hasExpired: true } as Deadline }), 'call', weather, forecast);
  expect(counter.take()).toEqual(noBatch);
  for (let i = 1; i <= pendingUsesMax; i += 1) counter.count(caller(`profile ${i}`), 'read', weather);
  counter.count(caller(), 'call', weather, forecast);
  expect([counter.takeLostCount(), counter.take().operations]).toEqual([1, []]);
});

test('each day in UTC has separate counts', () => {
  const { counter, clock } = setUp();
  counter.count(caller(), 'read', weather);
  clock.now += 1_000;
  counter.count(caller(), 'read', weather);
  expect(counter.take().uses.map(({ day }) => day)).toEqual([dayOf(start), dayOf(start) + 1]);
});

test('an admitted caller is recorded even without a use, and its key only if the key was used', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now += 5;
  counter.touch(caller());
  expect(counter.take().uses).toEqual([{ ...usesOfAda, counts: noUses, lastUsedAt: start + 5, keyUsedAt: start }]);
  expect(counter.getTotals()).toEqual(noUses);
});

test('setting the clock back does not change the last use', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now -= 5;
  counter.touch(caller('ada', { via: 'key' }));
  expect(counter.take().uses).toMatchObject([{ lastUsedAt: start, keyUsedAt: start }]);
});

test('a use in a request that timed out is not counted', () => {
  const { counter } = setUp();
  counter.count(caller('ada', { deadline: { hasExpired: true } as Deadline }), 'read', weather);
  counter.count(caller('ada', { deadline: { hasExpired: false } as Deadline }), 'read', weather);
  expect(counter.take().uses).toMatchObject([{ counts: { read: 1 } }]);
});

test('counts that are put back are added to those counted since', () => {
  const { counter, clock } = setUp();
  counter.count(caller('ada', { via: 'key' }), 'read', weather);
  counter.count(caller('bob'), 'read', weather);
  counter.count(caller('bob'), 'call', weather, forecast);
  const batch = counter.take();
  clock.now += 5;
  counter.count(caller(), 'read', weather);
  counter.count(caller('bob'), 'slice', weather, forecast);
  counter.putBack(batch);
  expect(counter.take()).toMatchObject({
    uses: [
      { profileId: 'ada', counts: { read: 2 }, lastUsedAt: start + 5, keyUsedAt: start },
      { profileId: 'bob', counts: { read: 1, slice: 1, call: 1 }, lastUsedAt: start + 5, keyUsedAt: null },
    ],
    operations: [{ profileId: 'bob', counts: { slice: 1, call: 1 }, lastUsedAt: start + 5 }],
  });
  expect(counter.getTotals().read).toBe(3);
});

test(`uses beyond ${pendingUsesMax} pairs of a profile and a collection are lost, and counted as lost`, () => {
  const { counter } = setUp();
  for (let i = 1; i <= pendingUsesMax + 2; i += 1) counter.count(caller(`profile ${i}`), 'read', weather);
  counter.count(caller('profile 1'), 'read', weather);
  counter.touch(caller('profile 0'));
  expect([counter.takeLostCount(), counter.takeLostCount(), counter.getTotals().read]).toEqual([
    2,
    0,
    pendingUsesMax + 3,
  ]);
  const { uses } = counter.take();
  expect(uses).toHaveLength(pendingUsesMax);
  expect(uses[0]?.counts.read).toBe(2);
  counter.count(caller('another'), 'read', weather);
  counter.putBack({ uses, operations: [] });
  expect(counter.takeLostCount()).toBe(1);
  expect(counter.take().uses.reduce((sum, { counts }) => sum + sumUses(counts), 0)).toBe(pendingUsesMax + 1);
});

test.each(['account', 'operator'] as const)('uses by %s are counted only in the totals, and are not lost', (via) => {
  const { counter } = setUp();
  const robotCaller = caller('robot', { via });
  counter.touch(robotCaller);
  counter.count(robotCaller, 'read', weather);
  expect(counter.getTotals()).toEqual({ ...noUses, read: 1 });
  expect([counter.take(), counter.takeLostCount()]).toEqual([noBatch, 0]);
});
