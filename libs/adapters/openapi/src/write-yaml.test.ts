import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as yaml from './write-yaml.ts';

const toYaml = (json: string): string => {
  const pieces: string[] = [];
  yaml.writeYaml(json, (piece) => pieces.push(piece));
  return pieces.join('');
};

test('lists, objects and scalars are written in block style', () => {
  const value = { a: [1, { b: true, c: null }, [2, [3]], [], {}], d: { e: {} }, f: 'two words', g: '' };
  expect(toYaml(JSON.stringify(value))).toBe(`a:
  - 1
  - b: true
    c: null
  - - 2
    - - 3
  - []
  - {}
d:
  e: {}
f: two words
g: ""
`);
});

test('numbers keep their digits, and members their order and duplicates', () => {
  expect(toYaml('{"z":12345678901234567890,"404":1.50E+2,"200":-0, "z" : [ 1 , 2 ]\n}')).toBe(
    'z: 12345678901234567890\n"404": 1.50E+2\n"200": -0\nz:\n  - 1\n  - 2\n',
  );
});

test.each([
  'true',
  'No',
  'null',
  '~',
  '1',
  '0x1f',
  '1.5',
  '.inf',
  '2026-01-31',
  'a: b',
  'a #b',
  '# a',
  '- a',
  '? a',
  'a:',
  ' a',
  'a ',
  '*a',
  '&a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  '{a}',
  '[a]',
  "'a'",
  '"a"',
  'a\nb',
  'a\tb',
  '\u0007',
  '\u2028',
  '\ufeff',
  '\u0085',
  '\u007f',
  'größer',
  '天气',
  '😀',
  'y',
  'ON',
  '---',
  '...',
  '=',
  '<<',
  'x'.repeat(2_000),
  '/v1/{id}',
  'a\\b',
])('%j is read back as the same string when used as a value, an item or a name', (word) => {
  const value = { value: word, list: [word, { [word]: word }], [`${word} `]: { [word]: [word] } };
  const text = toYaml(JSON.stringify(value));
  expect(parse(text, { version: '1.2', strict: true })).toEqual(value);
  expect(parse(text, { version: '1.1', merge: false })).toEqual(value);
});

test('a value that is not an object is also a valid document', () => {
  for (const value of ['a', 7, null, [], {}, [[1]]]) expect(parse(toYaml(JSON.stringify(value)))).toEqual(value);
});

test('a truncated text is rejected', () => {
  for (const text of ['"a', '{"a":', '[1,']) expect(() => toYaml(text)).toThrow();
});
