import { expect, test } from 'vitest';
import { convertArgument } from './convert-argument.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    full: { type: 'boolean' },
    name: { type: 'string' },
    either: { type: ['string', 'integer'] },
    anything: {},
    list: { type: 'array', items: { type: 'integer' } },
    nested: { type: 'object', properties: { limit: { type: 'integer' } } },
  },
};

test.each<[object, object]>([
  [{ limit: '3' }, { limit: 3 }],
  [{ limit: '-3' }, { limit: -3 }],
  [{ limit: '1.5' }, { limit: 1.5 }],
  [{ ratio: '0.25' }, { ratio: 0.25 }],
  [{ full: 'true' }, { full: true }],
  [{ full: 'false' }, { full: false }],
  [{ list: ['1', 2, 'x'] }, { list: [1, 2, 'x'] }],
  [{ list: '["1", 2]' }, { list: [1, 2] }],
  [{ nested: { limit: '7', other: '7' } }, { nested: { limit: 7, other: '7' } }],
  [{ nested: '{"limit": "7"}' }, { nested: { limit: 7 } }],
])('%j is converted to %j', (value, expected) => {
  expect(convertArgument(schema, value)).toEqual(expected);
});

test.each([
  { limit: ' 3' },
  { limit: '3x' },
  { limit: '03' },
  { limit: '0x10' },
  { limit: '' },
  { limit: null },
  { full: 'True' },
  { full: '1' },
  { full: 1 },
  { name: '3' },
  { name: 'true' },
  { either: '3' },
  { anything: '3' },
  { list: '[1' },
  { list: '{"a": 1}' },
  { nested: '[1]' },
  { nested: '{1}' },
  { unknown: '3' },
])('%j is not changed', (value) => {
  expect(convertArgument(schema, value)).toEqual(value);
});

test('a member named __proto__ stays a member', () => {
  const value = JSON.parse('{"__proto__": {"limit": "1"}}') as object;
  const converted = convertArgument(schema, value) as object;
  expect([Object.getPrototypeOf(converted), Object.hasOwn(converted, '__proto__')]).toEqual([Object.prototype, true]);
});
