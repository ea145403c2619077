import { expect, it } from 'vitest';
import { lastDayOf } from './last-day.ts';

it('an expiry at the end of a UTC day has that day as its last', () => {
  expect(lastDayOf('2027-04-01T00:00:00.000Z')).toBe('2027-03-31');
  expect(lastDayOf('2027-01-01T00:00:00Z')).toBe('2026-12-31');
});

it('an expiry within a day has no last day', () => {
  expect(lastDayOf('2027-03-31T23:59:59.999Z')).toBeNull();
  expect(lastDayOf('2027-04-01T00:00:00.001Z')).toBeNull();
});
