import { expect, test } from 'vitest';
import { parseDateTime, parseExpiry, parseDateOrDateTime } from './date-time.ts';

const toInstant = (text: string) => Date.parse(text);

test.each([
  ['2026-11-21T10:20:30Z', '2026-11-21T10:20:30.000Z'],
  ['2026-11-21T10:20:30', '2026-11-21T10:20:30.000Z'],
  ['2026-11-21T10:20', '2026-11-21T10:20:00.000Z'],
  ['2026-11-21T10', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:20:30.5+02:00', '2026-11-21T08:20:30.500Z'],
  ['2026-11-21T10:20:30,25-0530', '2026-11-21T15:50:30.250Z'],
  ['2026-11-21t10:20:30z', '2026-11-21T10:20:30.000Z'],
  ['20261121T102030Z', '2026-11-21T10:20:30.000Z'],
  ['2026-325T00:00:00Z', '2026-11-21T00:00:00.000Z'],
  ['2026-W47-6T00:00:00Z', '2026-11-21T00:00:00.000Z'],
  ['2020-W53-7T00:00Z', '2021-01-03T00:00:00.000Z'],
  ['2026-11-21T24:00:00Z', '2026-11-22T00:00:00.000Z'],
  ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
  ['2026-11-21T10.5Z', '2026-11-21T10:30:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['2024-02-29T00:00:00+14', '2024-02-28T10:00:00.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(parseDateTime(text)).toBe(toInstant(instant));
});

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['20261121', '2026-11-21T00:00:00.000Z'],
  ['2026-W47-6', '2026-11-21T00:00:00.000Z'],
  ['2026-325', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T10:20:30+02:00', '2026-11-21T08:20:30.000Z'],
])('%s is parsed as %s', (text, instant) => {
  expect(parseDateOrDateTime(text)).toBe(toInstant(instant));
});

test.each(['', '2026-11', '2026-02-29', '2026-13-01', '2026-11-21T', '2026-11-21Z', 'T00', 'today'])(
  '%j is not a date or date-time',
  (text) => {
    expect(parseDateOrDateTime(text)).toBeNull();
  },
);

test('a fraction may have any number of digits', () => {
  expect(parseDateTime(`2026-11-21T10:20:30.${'5'.repeat(70)}Z`)).toBe(toInstant('2026-11-21T10:20:30Z') + 555.556);
});

test('fractions are distinguished down to the microsecond', () => {
  const earlier = parseDateTime('2026-11-21T10:20:30.000001Z') ?? 0;
  const later = parseDateTime('2026-11-21T10:20:30.000002Z') ?? 0;
  expect(later).toBeGreaterThan(earlier);
  expect(Math.floor(earlier)).toBe(toInstant('2026-11-21T10:20:30Z'));
});

test.each([
  '',
  'yesterday',
  '2026-11-21',
  '10:20:30',
  '2026-11-21 10:20:30',
  '2026-13-01T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-11-31T00:00:00Z',
  '2026-11-21T25:00:00Z',
  '2026-11-21T24:00:01Z',
  '2026-11-21T10:60:00Z',
  '2026-11-21T10:20:61Z',
  '2026-11-21T10:20:30+24:00',
  '2026-366T00:00:00Z',
  '2026-W54-1T00:00:00Z',
  '2026-W47-8T00:00:00Z',
  '1763720430',
  '2026-11-21T10:20:30Z ',
])('%j is not a date-time', (text) => {
  expect(parseDateTime(text)).toBeNull();
});

test.each([
  ['2026-12-31', '2027-01-01T00:00:00Z'],
  ['2026-W53-4', '2027-01-01T00:00:00Z'],
  ['2026-12-31T00:00', '2026-12-31T00:00:00Z'],
  ['2026-12-31T10:20:30.0019+01:00', '2026-12-31T09:20:30.001Z'],
  ['9999-12-31', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59.999Z'],
])('the expiry %j is %s', (text, instant) => {
  expect(parseExpiry(text)).toBe(toInstant(instant));
});

test.each(['', 'soon', '2026-02-30', '2026-12', '10000-01-01'])('%j is not an expiry', (text) => {
  expect(parseExpiry(text)).toBeNull();
});
