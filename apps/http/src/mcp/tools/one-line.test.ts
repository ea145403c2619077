import { expect, test } from 'vitest';
import { toOneLine } from './one-line.ts';

test.each([
  ['a', 5, 'a'],
  [' a\r\n\tb\u2028c\0d\u0085e ', 20, 'a b c d e'],
  ['abcde', 5, 'abcde'],
  ['abcdef', 5, 'abcd…'],
  ['abc😀f', 5, 'abc\ufffd…'],
])('%j within %d is %j', (text, max, line) => {
  expect(toOneLine(text, max)).toBe(line);
});
