import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toNfc, isPlainLine, isPlainName, toPlainLine, toPlainLines, toPlainName, toShortLine } from './line.ts';

const charactersIn = (...ranges: readonly (readonly [from: number, to: number])[]): string[] =>
  ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index)),
  );

/** As listed in the specification, section 1. */
const rejectedCharacters = charactersIn(
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0xd800, 0xdfff],
);

test('a line may contain all characters of the basic plane except the listed ones', () => {
  expect(charactersIn([0x00, 0xffff]).filter((character) => !isPlainLine(character))).toEqual(rejectedCharacters);
});

test('a line may be in any script, with joiners and emoji, and may be empty', () => {
  for (const line of ['', 'Ångström & Söhne', '株式会社', 'שלום', 'می‌خواهم', '👩‍🔬 Labs', 'a\u00a0b']) {
    expect(isPlainLine(line)).toBe(true);
    expect(toPlainLine(line)).toBe(line);
  }
});

test('any stored text is displayed as one line', () => {
  expect(toPlainLine('Customer,\r\n\r\nSign in at\u2028https://evil.example\u202e\u001b[2J')).toBe(
    'Customer, Sign in at https://evil.example [2J',
  );
  expect(toPlainLine('\u0000\ud800\n')).toBe('\ufffd');
});

test('toPlainLine converts any text to a plain line that is not longer, and does not change a plain line', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...rejectedCharacters, ' ', 'a'), fc.string({ unit: 'binary' })))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (input) => {
      const line = toPlainLine(input);
      expect(isPlainLine(line)).toBe(true);
      expect(line.length).toBeLessThanOrEqual(input.length);
      expect(toPlainLine(line)).toBe(line);
    }),
  );
});

test('a line is truncated to its maximum length, but never inside a character', () => {
  expect(toShortLine('abc', 3)).toBe('abc');
  expect(toShortLine('abcd', 3)).toBe('ab…');
  expect(toShortLine('a😀b', 3)).toBe('a\ufffd…');
  expect(toShortLine('a\r\nb', 3)).toBe('a b');
});

test('toPlainLines converts each line to a plain line, and keeps line breaks and tabs', () => {
  expect(toPlainLines('One\r\ntwo\rthree\u2028four\n\n\tfive\u001b[2J\u202e\u0000\u0085\ud800')).toBe(
    'One\ntwo\nthree\nfour\n\n\tfive[2J\n\ufffd',
  );
  for (const character of rejectedCharacters.filter(
    (candidate) => !'\n\r\t\u0085\u2028\u2029'.includes(candidate) && candidate.isWellFormed(),
  ))
    expect(toPlainLines(`a${character}b`)).toBe('ab');
});

test.each([
  'Ångström & Söhne',
  '株式会社',
  'שלום',
  'می\u200cخواهم',
  'क्\u200dष',
  'क्\u200cष',
  '\u{11103}\u200d\u{11104}',
  'a\u00a0b',
  'Labs 😀',
  '',
])('%j can be a name', (name) => {
  expect([isPlainName(name), toPlainName(name)]).toEqual([true, name]);
});

test.each([
  ['Pa\u200by team', 'Pay team'],
  ['Pay\u2060 team', 'Pay team'],
  ['Pay team\u{e0041}\u{e007f}', 'Pay team'],
  ['Pay\u00ad team', 'Pay team'],
  ['\ufeffPay team', 'Pay team'],
  ['Pay\u3164 team', 'Pay team'],
  ['Pay\ufe0f team', 'Pay team'],
  ['Pay\u200d team', 'Pay team'],
  ['\u200dPay team', 'Pay team'],
  ['Pay team\u200c', 'Pay team'],
  ['P\u200d\u200day team', 'Pay team'],
  ['Pay\u202eteam\n', 'Pay team'],
  ['👩\u200d🔬 Labs', '👩🔬 Labs'],
  ['\u200b\u2060', ''],
])('%j cannot be a name, and becomes %j', (text, name) => {
  expect([isPlainName(text), toPlainName(text)]).toEqual([false, name]);
});

test('a name is normalised to NFC', () => {
  expect(toPlainName('Cafe\u0301 \u212Aim')).toBe('Caf\u00e9 Kim');
});

test('a text that is longer than any decomposed name is not normalised, which saves time', () => {
  const decomposed = 'e\u0301'.repeat(800);
  expect([toNfc(decomposed).length, toNfc(`${decomposed}e`).length]).toEqual([800, 1_601]);
  const marks = `a${'\u0301'.repeat(60_000)}${'\u0327'.repeat(60_000)}`;
  const startedAt = performance.now();
  expect(toNfc(marks)).toBe(marks);
  expect(toPlainName(marks).length).toBeLessThanOrEqual(1_600);
  // Composing all of it would take seconds.
  expect(performance.now() - startedAt).toBeLessThan(500);
});

test('the longest name whose code points decompose into four is normalised', () => {
  // U+1F82 is alpha with three marks.
  const name = '\u1f82'.repeat(200);
  expect(toNfc(name.normalize('NFD'))).toBe(name);
});
