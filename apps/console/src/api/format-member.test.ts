import { expect, test } from 'vitest';
import { formatMember } from './format-member.ts';

test('numbers keep their digits', () => {
  const text = '{"id":1,"arguments":{"n":1.0,"big":12345678901234567890,"small":-1.50e-7,"list":[1.10,2]},"z":0}';
  expect(formatMember(text, 'arguments')).toBe(
    '{\n  "n": 1.0,\n  "big": 12345678901234567890,\n  "small": -1.50e-7,\n  "list": [\n    1.10,\n    2\n  ]\n}',
  );
});

test.each([
  { a: 'x', b: [], c: {}, d: [[], {}, [[1]]], e: null, f: true, g: { h: { i: [{ j: 1 }, { k: 'l' }] } } },
  { text: 'a "quoted", {braced}, [listed]: \\ text\n\u2028', '"key":': ': , {', '': '' },
  {},
  [],
  null,
  '"',
  0.5,
])('%j is formatted as by JSON.stringify', (value) => {
  const text = JSON.stringify({
    before: { arguments: 1 },
    x: ['arguments', { arguments: 2 }],
    arguments: value,
    after: 1,
  });
  expect(formatMember(text, 'arguments')).toBe(JSON.stringify(value, null, 2));
});

test('a member that is missing at the top level is null', () => {
  expect(formatMember('{"a":{"arguments":1},"b":["arguments"]}', 'arguments')).toBeNull();
});
