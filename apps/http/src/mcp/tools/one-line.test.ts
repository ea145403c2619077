import { expect, test } from 'vitest';
import { oneLine } from './one-line.ts';

test.each([
  ['a', 5, 'a'],
  [' a\r\n\tb\u2028c\0d\u0085e ', 20, 'a b c d e'],
  ['abcde', 5, 'abcde'],
  ['abcdef', 5, 'abcd…'],
  ['abc😀f', 5, 'abc\ufffd…'],
])('%j within %d is %j', (words, max, line) => {
  expect(oneLine(words, max)).toBe(line);
});
