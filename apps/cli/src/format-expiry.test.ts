import { expect, test } from 'vitest';
import { formatExpiry } from './format-expiry.ts';

test.each([
  ['2100-01-01T00:00:00.000Z', '2099-12-31'],
  ['2028-03-01T00:00:00.000Z', '2028-02-29'],
  ['2027-03-01T09:30:00.000Z', '2027-03-01T09:30:00.000Z'],
  ['2027-03-01T00:00:00.001Z', '2027-03-01T00:00:00.001Z'],
])('the expiry %s is shown as %s', (expiry, text) => {
  expect(formatExpiry(expiry)).toBe(text);
});
