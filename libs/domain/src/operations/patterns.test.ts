import { expect, test } from 'vitest';
import { matchesPattern } from './patterns.ts';

test.each([
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'Abc', false],
  ['^\\d{3}-\\d{4}$', '555-1234', true],
  ['^(?:ab)+$', 'abab', true],
  ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 'Passw0rds', true],
  ['^\\p{Lu}', 'Éa', true],
  ['^\\-$', '-', true],
])('the pattern %s is evaluated for %s: %s', (pattern, text, result) => {
  expect(matchesPattern(pattern, text)).toBe(result);
});

test.each([
  ['^(a+)+$', `${'a'.repeat(40)}!`],
  ['^(a|a)*$', `${'a'.repeat(40)}!`],
  ['^((a|b))*$', `${'a'.repeat(40)}!`],
  ['^(a{1,9}){1,99}$', `${'a'.repeat(40)}!`],
  ['^(a?){50}a{50}$', 'a'.repeat(50)],
  [`^${'(a|a)'.repeat(30)}c$`, 'a'.repeat(40)],
  [`^${'(?:a|a)?'.repeat(30)}c$`, 'a'.repeat(40)],
  ['.*.*.*.*.*x', 'a'.repeat(5_000)],
  ['a', 'a'.repeat(10_001)],
  ['(a)'.repeat(4_000), 'a'],
])('the pattern %s is not evaluated where that could take long', (pattern, text) => {
  expect(matchesPattern(pattern, text)).toBeNull();
});

test.each(['/^[a-z]+$/i', '\\A[a-z]+\\z', '^[[:alnum:]]+$'])(
  'the pattern %s of another language is not evaluated',
  (pattern) => {
    expect(matchesPattern(pattern, '!')).toBeNull();
  },
);

test('an enumeration of many words is evaluated', () => {
  const pattern = `^(${Array.from({ length: 200 }, (_, i) => `word${i}`).join('|')})$`;
  expect([matchesPattern(pattern, 'word199'), matchesPattern(pattern, 'word200')]).toEqual([true, false]);
});
