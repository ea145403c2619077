import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toIso } from './instant.ts';

const limit = 8_640_000_000_000_000;

test('an instant is formatted as Date formats it, regardless of earlier instants', () => {
  const instant = fc.oneof(
    fc.integer({ min: -limit, max: limit }),
    fc.integer({ min: -3_000, max: 3_000 }),
    fc.double({ min: -3_000, max: 3_000, noNaN: true }),
    fc.constantFrom(-limit, -62_167_219_200_001, -62_167_219_200_000, 253_402_300_799_999, 253_402_300_800_000, limit),
  );
  fc.assert(
    fc.property(fc.array(instant, { minLength: 1, maxLength: 20 }), (instants) => {
      expect(instants.map(toIso)).toEqual(instants.map((instant) => new Date(instant).toISOString()));
    }),
  );
});

test('a number outside the range of Date is rejected, and changes nothing', () => {
  expect(toIso(1_500)).toBe('1970-01-01T00:00:01.500Z');
  for (const invalidInstant of [NaN, Infinity, limit + 1, -limit - 1])
    expect(() => toIso(invalidInstant)).toThrow(RangeError);
  expect(toIso(1_501)).toBe('1970-01-01T00:00:01.501Z');
});
