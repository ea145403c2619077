import { expect, test } from 'vitest';
import { dateOf, toDayRange, dayOf, noUses, sumUses } from './usage.ts';

const instantOf = (text: string) => Date.parse(text);
const now = instantOf('2026-03-31T10:20:30Z');

test.each([
  ['2026-01-31T00:00:00.000Z', '2026-01-31'],
  ['2026-01-31T23:59:59.999Z', '2026-01-31'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31'],
])('%s is on %s in UTC', (instant, date) => {
  expect(dateOf(dayOf(instantOf(instant)))).toBe(date);
});

/** Returns the first and the last included day. */
const days = (from: string | null, to: string | null) => {
  const { first, end } = toDayRange(from === null ? null : instantOf(from), to === null ? null : instantOf(to), now);
  return [dateOf(first), dateOf(end - 1)];
};

test.each([
  ['nothing', null, null, '2026-03-02', '2026-03-31'],
  ['a start', '2026-03-30', null, '2026-03-30', '2026-03-31'],
  ['a start within a day', '2026-03-30T23:59Z', null, '2026-03-30', '2026-03-31'],
  ['an end, which is not included', null, '2026-03-30', '2026-02-28', '2026-03-29'],
  ['an end within a day, which is included', null, '2026-03-30T00:01Z', '2026-03-01', '2026-03-30'],
  ['both', '2026-01-01', '2026-02-01', '2026-01-01', '2026-01-31'],
])('given %s, the days are those that overlap the period', (_description, from, to, first, last) => {
  expect(days(from, to)).toEqual([first, last]);
});

test('uses of all kinds are summed', () => {
  expect([
    sumUses(noUses),
    sumUses({ ...noUses, read: 1, search: 20, slice: 300, call: 4_000, credential_read: 50_000, refused: 600_000 }),
  ]).toEqual([0, 654_321]);
});
