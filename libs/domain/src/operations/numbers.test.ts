import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExactJson } from '../exact-json.ts';
import { ExactNumber } from '../json.ts';
import { compareNumbers, isInteger, isSameValue } from './numbers.ts';

const exact = (text: string): ExactNumber => new ExactNumber(text);

test.each([
  ['9007199254740992', '9007199254740993'],
  ['0.1', '0.10000000000000000001'],
  ['-2', '-1.5'],
  ['-1e400', '1e400'],
  ['1e400', '1e500'],
  ['-1e500', '-1e400'],
  ['1e-500', '1e-400'],
  ['0', '1e-400'],
  ['99', '100'],
  ['9', '1e1'],
])('%s is less than %s', (smaller, greater) => {
  expect(compareNumbers(exact(smaller), exact(greater))).toBeLessThan(0);
  expect(compareNumbers(exact(greater), exact(smaller))).toBeGreaterThan(0);
});

test.each([
  ['1', '1.0'],
  ['100', '1e2'],
  ['0.01', '1E-2'],
  ['0', '-0.0'],
  ['1e400', '10e399'],
])('%s is equal to %s', (first, second) => {
  expect(isSameValue(exact(first), exact(second))).toBe(true);
});

test('numbers compare as those of JavaScript do', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(Math.sign(compareNumbers(a, b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(isInteger(exact(`${a}`))).toBe(Number.isInteger(a));
    }),
  );
});

test.each([
  ['1.0', true],
  ['1e400', true],
  ['15e-1', false],
  ['150e-1', true],
  ['9007199254740993.5', false],
  ['0.0', true],
])('whether %s is an integer: %s', (text, result) => {
  expect(isInteger(exact(text))).toBe(result);
});

test.each(['[1.0,12345678901234567890,1e400,-0,0.1,1E5]', '{"a":-1.50,"b":[1]}', '1e2'])(
  'the numbers of %s keep their digits',
  (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  },
);
