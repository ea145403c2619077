import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowSetOf } from './row-set.ts';

test('a set has each row once, ascending, and a bit for each up to the greatest', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300)), (numbers) => {
      const wanted = [...new Set(numbers)].sort((x, y) => x - y);
      const { rows, bits } = rowSetOf(numbers);
      expect([...rows]).toEqual(wanted);
      expect(bits.length).toBe(Math.ceil(((wanted.at(-1) ?? -1) + 1) / 32));
      const set = [...Array(bits.length * 32).keys()].filter((row) => ((bits[row >>> 5] ?? 0) >>> (row % 32)) & 1);
      expect(set).toEqual(wanted);
    }),
  );
});
