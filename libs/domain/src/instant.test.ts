import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toIso } from './instant.ts';

const furthest = 8_640_000_000_000_000;

test('an instant is written as Date writes it, whatever was written before', () => {
  const instant = fc.oneof(
    fc.integer({ min: -furthest, max: furthest }),
    fc.integer({ min: -3_000, max: 3_000 }),
    fc.double({ min: -3_000, max: 3_000, noNaN: true }),
    fc.constantFrom(
      -furthest,
      -62_167_219_200_001,
      -62_167_219_200_000,
      253_402_300_799_999,
      253_402_300_800_000,
      furthest,
    ),
  );
  fc.assert(
    fc.property(fc.array(instant, { minLength: 1, maxLength: 20 }), (instants) => {
      expect(instants.map(toIso)).toEqual(instants.map((each) => new Date(each).toISOString()));
    }),
  );
});

test('what is no instant is refused, and changes nothing', () => {
  expect(toIso(1_500)).toBe('1970-01-01T00:00:01.500Z');
  for (const none of [NaN, Infinity, furthest + 1, -furthest - 1]) expect(() => toIso(none)).toThrow(RangeError);
  expect(toIso(1_501)).toBe('1970-01-01T00:00:01.501Z');
});
