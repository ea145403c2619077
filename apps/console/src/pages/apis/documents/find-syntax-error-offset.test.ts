import { expect, test } from 'vitest';
import { findSyntaxErrorOffset, positionAt } from './find-syntax-error-offset.ts';

test.each([
  ['{"a": 1,, "b": 2}', 8],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a": 1,}', 8],
  ['{"a": tru}', 6],
  ['{"a": 01}', 6],
  ['{"a": "line\nbreak"}', 6],
  [String.raw`{"a": "\x"}`, 6],
  ['{a: 1}', 1],
  ['[1}', 2],
  ['{} {}', 3],
  ['', 0],
  ['{"a": [1, 2', 11],
])('%j has a syntax error at offset %i', (text, offset) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(findSyntaxErrorOffset(text)).toBe(offset);
});

test('valid JSON is read to its end', () => {
  const text = JSON.stringify({ 'a"\\\n': [{}, [], '', -0.5e-7, 1e300, true, false, null, '\u2028 ü 🐈'] }, null, 2);
  expect(findSyntaxErrorOffset(text)).toBe(text.length);
});

test('a long string does not overflow the stack', () => {
  expect(findSyntaxErrorOffset(`["${String.raw`x\n`.repeat(3_000_000)}",,]`)).toBe(9_000_004);
});

test('positions count lines and columns from 1', () => {
  expect([positionAt('ab\ncd', 0), positionAt('ab\ncd', 4)]).toEqual([
    { line: 1, column: 1 },
    { line: 2, column: 2 },
  ]);
});
