import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, positionOf, scanJson } from './json-scan.ts';

const bounds = { nestingMax: 100, valuesMax: 1_000 };
const scan = (text: string) => scanJson(Buffer.from(text), bounds);

function errorOf(text: string): string {
  const bytes = Buffer.from(text);
  try {
    scanJson(bytes, bounds);
  } catch (error) {
    if (error instanceof JsonError) return `${error.message} at ${positionOf(bytes, error.offset)}`;
    throw error;
  }
  return 'none';
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('the members of the root object are found, with the text of their values', () => {
  const text = ' { "a" : [1, {"a": 2}] ,"b\\u0041":"}\\"", "a":{} , "é" : -1.5e+3\n} ';
  const bytes = Buffer.from(text);
  const { members, value } = scan(text);
  const textOf = ({ start, end }: { start: number; end: number }) => bytes.subarray(start, end).toString();
  expect(members?.map(({ name, value }) => [textOf(name), textOf(value)])).toEqual([
    ['"a"', '[1, {"a": 2}]'],
    ['"b\\u0041"', '"}\\""'],
    ['"a"', '{}'],
    ['"é"', '-1.5e+3'],
  ]);
  expect(textOf(value)).toBe(text.trim());
});

test('only an object has members', () => {
  for (const text of ['[{"a":1}]', '"a"', '1', 'null']) expect(scan(text).members).toBeNull();
  expect(scan('{}').members).toEqual([]);
});

test.each([
  ['', 'expected a value, where the text ends at line 1, column 1'],
  ['{"a": 1,\n "b" 2}', "expected ':' after a name at line 2, column 6"],
  ['{"é": 1,\n\n  "ピ": tru}', 'expected a value at line 3, column 8'],
  ['{"a": 1', "expected ',' or '}', where the text ends at line 1, column 8"],
  ['[1 2]', "expected ',' or ']' at line 1, column 4"],
  ['[1,]', 'expected a value at line 1, column 4'],
  ['{"a":1,}', 'expected a name in double quotes at line 1, column 8'],
  ["{'a':1}", 'expected a name in double quotes at line 1, column 2'],
  ['{} {}', 'expected the end of the text at line 1, column 4'],
  ['["a', 'an unterminated string at line 1, column 2'],
  ['["a\n"]', 'a control character in a string at line 1, column 4'],
  ['["\\x"]', 'an unknown escape sequence at line 1, column 3'],
  ['["\\u12G4"]', 'a Unicode escape without four hexadecimal digits at line 1, column 3'],
  ['[01]', "expected ',' or ']' at line 1, column 3"],
  ['[1.]', 'expected a digit at line 1, column 4'],
  ['[-]', 'expected a digit at line 1, column 3'],
  ['[1e]', 'expected a digit at line 1, column 4'],
  [`${'['.repeat(101)}`, 'nested too deeply at line 1, column 101'],
  [`[${'1,'.repeat(1_000)}1]`, 'more than 1000 values at line 1, column 2000'],
])('the error for %j is: %s', (text, error) => {
  expect(errorOf(text)).toBe(error);
});

test.each([
  ['["a', 3],
  ['[1.]', 2],
  ['[1.5e]', 4],
  ['[-x]', 1],
  ['[tru]', 1],
  ['{"a":1,}', 7],
])('the error for %j contains the first unexpected byte', (text, offset) => {
  expect(() => scan(text)).toThrow(expect.objectContaining({ unexpectedAt: offset }));
});

test('scanning does not recurse', () => {
  expect(errorOf('['.repeat(1_000_000))).toBe('nested too deeply at line 1, column 101');
});

describe('it accepts exactly the texts that JSON.parse accepts', () => {
  test('in valid texts', () => {
    fc.assert(fc.property(fc.json(), (text) => errorOf(text) === 'none'));
  });
  test('in almost valid texts', () => {
    const token = fc.constantFrom(
      ...'{}[],:"\\ \n\tu0123eE+-.a',
      'true',
      'null',
      '"a"',
      '"a":',
      '1.5',
      '\\u00e9',
      '\u0001',
    );
    const randomText = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''));
    const brokenText = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(2), randomText)
      .map(([text, index, removedCount, addedText]) => {
        const position = index % (text.length + 1);
        return text.slice(0, position) + addedText + text.slice(position + removedCount);
      });
    fc.assert(
      fc.property(fc.oneof(randomText, brokenText), (text) => {
        expect(errorOf(text) === 'none').toBe(parses(text));
      }),
      { numRuns: 5_000 },
    );
  });
});
