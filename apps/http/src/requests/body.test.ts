import { expect, test } from 'vitest';
import { parseJsonBody, refusePollutingMembers } from './body.ts';

const parsed = (text: string) => parseJsonBody(Buffer.from(text));

test('the source text of each top-level member is kept', () => {
  const { memberText } = parsed('\uFEFF { "a" : [1, {"b":2}] ,"\\u0062": "x" , "a":\n 3e1, "é":"ü" }');
  expect(['a', 'b', 'é', 'c'].map(memberText)).toEqual(['3e1', '"x"', '"ü"', null]);
});

test.each([
  ['{\n "a": x}', 'unexpected "x" at line 2, column 7'],
  ['{"a":', 'unexpected end of the JSON text at line 1, column 6'],
  ['{"a":"b', 'unexpected end of the JSON text at line 1, column 8'],
  ['{"é":😀}', 'unexpected "😀" at line 1, column 6'],
  ['{"a":1.x}', 'unexpected "." at line 1, column 7'],
  ['{"a":-}', 'unexpected "-" at line 1, column 6'],
  ['{"é":"\\u0000"}', 'U+0000 or a lone surrogate at line 1, column 7'],
])('the refusal of %j names the line and column of the error', (text, because) => {
  expect(() => parsed(text)).toThrow(`Invalid request body: ${because}`);
});

test('nesting above the limit is refused, and the outermost value does not count', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels) + ']'.repeat(levels)}}`;
  expect(Object.keys(parsed(nested(100)).value)).toEqual(['a']);
  expect(() => parsed(nested(101))).toThrow('nested deeper than 100 levels at line 1, column 106');
});

test('a member that could reach a prototype is refused with its path, at any depth', () => {
  const value = JSON.parse('{"a":[1,{"__proto__":{}}]}') as unknown;
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /: authentication\.a\[1\]\.__proto__ is no member that can be taken$/,
  );
  expect(() => refusePollutingMembers({ prototype: 1, toString: { in: 'header' } }, 'authentication')).not.toThrow();
});

test('a long name is shortened in the reason', () => {
  const value = { ['x'.repeat(100_000)]: { constructor: 1 } };
  expect(() => refusePollutingMembers(value, 'authentication')).toThrow(
    /^Invalid request body: authentication\.x{485}…$/,
  );
});
