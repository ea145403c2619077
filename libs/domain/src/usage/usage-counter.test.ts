import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import { createUsageCounter, type UsageCaller, pendingUsesMax } from './usage-counter.ts';
import { dayOf, noUses, sumUses } from './usage.ts';

const start = Date.UTC(2026, 0, 31, 23, 59, 59);
const weather = 'weather' as CollectionId;

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

const usesOfAda = { day: dayOf(start), profileId: 'ada', collectionId: null, lastUsedAt: start, keyUsedAt: null };

test('uses are counted by kind, and each is taken only once', () => {
  const { counter } = setUp();
  for (const kind of ['read', 'read', 'slice'] as const) counter.count(caller(), kind, weather);
  counter.count(caller(), 'search', null);
  expect(counter.take()).toEqual([
    { ...usesOfAda, collectionId: weather, counts: { ...noUses, read: 2, slice: 1 } },
    { ...usesOfAda, counts: { ...noUses, search: 1 } },
  ]);
  expect(counter.take()).toEqual([]);
  expect(counter.getTotals()).toEqual({ ...noUses, read: 2, search: 1, slice: 1 });
});

test('each day in UTC has separate counts', () => {
  const { counter, clock } = setUp();
  counter.count(caller(), 'read', weather);
  clock.now += 1_000;
  counter.count(caller(), 'read', weather);
  expect(counter.take().map(({ day }) => day)).toEqual([dayOf(start), dayOf(start) + 1]);
});

test('an admitted caller is recorded even without a use, and its key only if the key was used', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now += 5;
  counter.touch(caller());
  expect(counter.take()).toEqual([{ ...usesOfAda, counts: noUses, lastUsedAt: start + 5, keyUsedAt: start }]);
  expect(counter.getTotals()).toEqual(noUses);
});

test('setting the clock back does not change the last use', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now -= 5;
  counter.touch(caller('ada', { via: 'key' }));
  expect(counter.take()).toMatchObject([{ lastUsedAt: start, keyUsedAt: start }]);
});

test('a use in a request that timed out is not counted', () => {
  const { counter } = setUp();
  counter.count(caller('ada', { deadline: { hasExpired: true } as Deadline }), 'read', weather);
  counter.count(caller('ada', { deadline: { hasExpired: false } as Deadline }), 'read', weather);
  expect(counter.take()).toMatchObject([{ counts: { read: 1 } }]);
});

test('counts that are put back are added to those counted since', () => {
  const { counter, clock } = setUp();
  counter.count(caller('ada', { via: 'key' }), 'read', weather);
  counter.count(caller('bob'), 'read', weather);
  const uses = counter.take();
  clock.now += 5;
  counter.count(caller(), 'read', weather);
  counter.putBack(uses);
  expect(counter.take()).toMatchObject([
    { profileId: 'ada', counts: { read: 2 }, lastUsedAt: start + 5, keyUsedAt: start },
    { profileId: 'bob', counts: { read: 1 }, lastUsedAt: start, keyUsedAt: null },
  ]);
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
  const uses = counter.take();
  expect(uses).toHaveLength(pendingUsesMax);
  expect(uses[0]?.counts.read).toBe(2);
  counter.count(caller('another'), 'read', weather);
  counter.putBack(uses);
  expect(counter.takeLostCount()).toBe(1);
  expect(counter.take().reduce((sum, { counts }) => sum + sumUses(counts), 0)).toBe(pendingUsesMax + 1);
});

test.each(['account', 'operator'] as const)('uses by %s are counted only in the totals, and are not lost', (via) => {
  const { counter } = setUp();
  const robotCaller = caller('robot', { via });
  counter.touch(robotCaller);
  counter.count(robotCaller, 'read', weather);
  expect(counter.getTotals()).toEqual({ ...noUses, read: 1 });
  expect([counter.take(), counter.takeLostCount()]).toEqual([[], 0]);
});
