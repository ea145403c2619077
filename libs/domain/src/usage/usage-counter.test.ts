import { expect, test } from 'vitest';
import type { Deadline } from '../deadline.ts';
import type { CollectionId, ProfileId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import { createUsageCounter, type UsageCaller, waitingUsesMax } from './usage-counter.ts';
import { dayOf, noUses, usesIn } from './usage.ts';

const start = Date.UTC(2026, 0, 31, 23, 59, 59);
const weather = 'weather' as CollectionId;

const caller = (id = 'ada', facts: Partial<UsageCaller> = {}): UsageCaller => ({
  profile: { id: id as ProfileId } as Profile,
  via: 'token',
  deadline: null,
  ...facts,
});

const setUp = () => {
  const clock = { now: start };
  return { clock, counter: createUsageCounter(() => clock.now) };
};

const ofAda = { day: dayOf(start), profileId: 'ada', collectionId: null, lastUsedAt: start, keyUsedAt: null };

test('uses are counted by kind, and taken once', () => {
  const { counter } = setUp();
  for (const kind of ['read', 'read', 'slice'] as const) counter.count(caller(), kind, weather);
  counter.count(caller(), 'search', null);
  expect(counter.take()).toEqual([
    { ...ofAda, collectionId: weather, counts: { ...noUses, read: 2, slice: 1 } },
    { ...ofAda, counts: { ...noUses, search: 1 } },
  ]);
  expect(counter.take()).toEqual([]);
  expect(counter.totals()).toEqual({ ...noUses, read: 2, search: 1, slice: 1 });
});

test('each day in UTC has separate counts', () => {
  const { counter, clock } = setUp();
  counter.count(caller(), 'read', weather);
  clock.now += 1_000;
  counter.count(caller(), 'read', weather);
  expect(counter.take().map(({ day }) => day)).toEqual([dayOf(start), dayOf(start) + 1]);
});

test('an admitted caller is recorded without a use, and its key only if it used the key', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now += 5;
  counter.touch(caller());
  expect(counter.take()).toEqual([{ ...ofAda, counts: noUses, lastUsedAt: start + 5, keyUsedAt: start }]);
  expect(counter.totals()).toEqual(noUses);
});

test('a clock that is set back does not set back the last use', () => {
  const { counter, clock } = setUp();
  counter.touch(caller('ada', { via: 'key' }));
  clock.now -= 5;
  counter.touch(caller('ada', { via: 'key' }));
  expect(counter.take()).toMatchObject([{ lastUsedAt: start, keyUsedAt: start }]);
});

test('a use in a request that timed out is not counted', () => {
  const { counter } = setUp();
  counter.count(caller('ada', { deadline: { expired: true } as Deadline }), 'read', weather);
  counter.count(caller('ada', { deadline: { expired: false } as Deadline }), 'read', weather);
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
  expect(counter.totals().read).toBe(3);
});

test(`of more than ${waitingUsesMax} pairs of a profile and a collection, the later ones are lost, and counted as lost`, () => {
  const { counter } = setUp();
  for (let each = 1; each <= waitingUsesMax + 2; each += 1) counter.count(caller(`profile ${each}`), 'read', weather);
  counter.count(caller('profile 1'), 'read', weather);
  counter.touch(caller('profile 0'));
  expect([counter.takeLost(), counter.takeLost(), counter.totals().read]).toEqual([2, 0, waitingUsesMax + 3]);
  const uses = counter.take();
  expect(uses).toHaveLength(waitingUsesMax);
  expect(uses[0]?.counts.read).toBe(2);
  counter.count(caller('another'), 'read', weather);
  counter.putBack(uses);
  expect(counter.takeLost()).toBe(1);
  expect(counter.take().reduce((sum, { counts }) => sum + usesIn(counts), 0)).toBe(waitingUsesMax + 1);
});

test.each(['account', 'operator'] as const)('uses by %s count only in the totals, and are not lost', (via) => {
  const { counter } = setUp();
  const robot = caller('robot', { via });
  counter.touch(robot);
  counter.count(robot, 'read', weather);
  expect(counter.totals()).toEqual({ ...noUses, read: 1 });
  expect([counter.take(), counter.takeLost()]).toEqual([[], 0]);
});
