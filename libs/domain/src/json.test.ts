import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findUnstorableEscape } from './json.ts';

test.each([
  [String.raw`{"a":"\u0000"}`, 6],
  [String.raw`{"\u0000":1}`, 2],
  [String.raw`{"a":"\u0000","a":1}`, 6],
  [String.raw`{"__proto__":{"a":["\ud800"]}}`, 20],
  [String.raw`"\uDC00\uD800"`, 1],
  [String.raw`"\ud83d\ude00\ude00"`, 13],
  [String.raw`"\ud83dx\ude00"`, 1],
  [String.raw`"\ud83d\u0041"`, 1],
  [String.raw`"\\\u0000"`, 3],
])('%s is not storable at %i', (text, offset) => {
  expect(findUnstorableEscape(text)).toBe(offset);
});

test.each([
  String.raw`"\\u0000"`,
  String.raw`"\\ud800"`,
  String.raw`"\ud83d\ude00"`,
  String.raw`"\uD83D\uDE00\n\u00e9\u0001\""`,
  '"😀"',
  '{"a":null}',
])('%s is storable', (text) => {
  expect(findUnstorableEscape(text)).toBeNull();
});

test('a text is storable if its value is', () => {
  const pieces = fc.constantFrom('\\ud83d', '\\uDE00', '\\u0000', '\\\\', '\\n', 'u0000', '\\u00e9', '😀', 'a');
  const isStorable = (value: string) => value.isWellFormed() && !value.includes('\0');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = `"${parts.join('')}"`;
      expect(findUnstorableEscape(text) === null).toBe(isStorable(JSON.parse(text) as string));
    }),
    { numRuns: 5_000 },
  );
});
