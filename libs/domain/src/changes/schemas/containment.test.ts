import { expect, test } from 'vitest';
import { checkContainment, checkExamples, differencesOf } from '../../../test/check-containment.ts';
import type { Json } from '../../json.ts';

test('no value refutes a proof that a schema is contained in another', () => {
  checkContainment(200);
});

test('each example is accepted by one schema and rejected by the other', () => {
  checkExamples(150);
});

const list = (items: Json): Json => ({ type: 'array', items });
const tree = (value: Json): Json => ({
  type: 'object',
  properties: { value, children: list({ $ref: '#/components/schemas/Root' }) },
  required: ['value'],
});
const choice = (...members: readonly Json[]): Json => ({ oneOf: members });
const tagged = (kind: string, members: { readonly [name: string]: Json } = {}): Json => ({
  type: 'object',
  properties: { kind: { const: kind }, ...members },
  required: ['kind'],
});

test.each<[string, Json, Json, string[]]>([
  ['a smaller maximum', { type: 'integer', maximum: 10 }, { type: 'integer', maximum: 5 }, ['maximum breaking 10']],
  ['a longer minimum length', { type: 'string' }, { type: 'string', minLength: 3 }, ['minLength breaking "a"']],
  [
    'another divisor',
    { type: 'integer', multipleOf: 2 },
    { type: 'integer', multipleOf: 4 },
    ['multipleOf 4 breaking 2'],
  ],
  ['a divisor of the old one', { multipleOf: 4 }, { multipleOf: 2 }, ['multipleOf 4 none']],
  [
    'a pattern that is new',
    { type: 'string' },
    { type: 'string', pattern: '^[a-z]+$' },
    ['pattern ^[a-z]+$ breaking "A"'],
  ],
  ['unique items', list({}), { type: 'array', uniqueItems: true }, ['uniqueItems breaking ["text","text"]']],
  ['a required member', { type: 'object' }, { type: 'object', required: ['a'] }, ['required a breaking {}']],
  ['a removed value', { enum: ['a', 'b'] }, { enum: ['a'] }, ['enum breaking "b"']],
  [
    'a limit of other members',
    { type: 'object' },
    { type: 'object', additionalProperties: false },
    ['additionalProperties breaking {"extra1":null}'],
  ],
  ['a deep change', list(list({ type: 'string' })), list(list({ type: 'number' })), ['type breaking /*/* [["text"]]']],
  [
    'a schema that contains itself',
    tree({ type: 'string' }),
    tree({ type: 'string', maxLength: 2 }),
    ['maxLength breaking /value {"value":"text"}'],
  ],
  [
    'a removed alternative',
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ type: 'string' }] },
    ['anyOf 2 breaking 0'],
  ],
  ['null in another spelling', { type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, []],
  ['alternatives in another order', choice(tagged('a'), tagged('b')), choice(tagged('b'), tagged('a')), []],
  [
    'a limit in one of the alternatives',
    choice(tagged('a', { x: { type: 'string' } }), tagged('b')),
    choice(tagged('a', { x: { type: 'string', maxLength: 1 } }), tagged('b')),
    ['maxLength breaking /x {"x":"text","kind":"a"}'],
  ],
  ['the parts of a conjunction, merged', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, { minimum: 1, maximum: 2 }, []],
  [
    'a limit that another limit implies',
    { enum: ['ab', 'cd'] },
    { enum: ['ab', 'cd'], minLength: 2 },
    ['minLength none'],
  ],
  [
    'a default of a required member',
    { type: 'object' },
    { type: 'object', required: ['a'], properties: { a: { default: 1 } } },
    ['required a none'],
  ],
  [
    'an optional member that is new',
    { type: 'object' },
    { type: 'object', properties: { a: { type: 'string' } } },
    ['member of wide a none'],
  ],
  [
    'a read-only member',
    { type: 'object', properties: { id: { type: 'string', readOnly: true } } },
    { type: 'object', properties: { id: { type: 'integer', readOnly: true } } },
    [],
  ],
  ['a condition', {}, { not: { type: 'string' } }, ['not breaking "text"']],
  ['a reference out of the document', { $ref: 'a.json' }, { $ref: 'b.json' }, ['$ref unknown']],
  [
    'that nothing is proven by a schema that is one of its own alternatives',
    { anyOf: [{ $ref: '#/components/schemas/Root' }, { type: 'string' }] },
    { anyOf: [{ $ref: '#/components/schemas/Root' }, { type: 'integer' }] },
    ['anyOf 2 unknown', 'anyOf 2 none'],
  ],
  [
    'no example that more than one alternative accepts',
    choice({ minLength: 2 }, true, {}),
    choice({ minLength: 2, type: 'number' }, true, {}),
    ['oneOf 1 unknown', 'oneOf 1 none'],
  ],
  [
    'the title of a removed alternative',
    { anyOf: [{ type: 'string' }, { type: 'number', title: 'Weight' }] },
    { anyOf: [{ type: 'string' }] },
    ['anyOf Weight breaking 0'],
  ],
  [
    'the value of a removed alternative',
    choice(tagged('a'), tagged('b')),
    choice(tagged('a')),
    ['oneOf "b" breaking {"kind":"b"}'],
  ],
])('a request finds %s', (_, before, after, expected) => {
  expect(differencesOf(before, after)).toEqual(expected);
});

test.each<[string, Json, Json, string[]]>([
  ['a greater maximum', { type: 'integer', maximum: 5 }, { type: 'integer', maximum: 10 }, ['maximum breaking 10']],
  ['a removed divisor', { type: 'integer', multipleOf: 2 }, { type: 'integer' }, ['multipleOf 2 breaking 1']],
  [
    'a member that may be absent',
    { type: 'object', required: ['a'], properties: { a: {} } },
    { type: 'object', properties: { a: {} } },
    ['required a breaking {}'],
  ],
  [
    'a removed member',
    { type: 'object', properties: { a: { type: 'string' } } },
    { type: 'object' },
    ['member of wide a breaking {"a":null}'],
  ],
  ['null', { type: 'string' }, { type: ['string', 'null'] }, ['type breaking null']],
  [
    'a new alternative',
    choice({ type: 'string' }),
    choice({ type: 'string' }, { type: 'null' }),
    ['oneOf 2 breaking null'],
  ],
  [
    'a write-only member that is removed',
    { type: 'object', properties: { a: { type: 'string', writeOnly: true } } },
    { type: 'object' },
    ['member of wide a none'],
  ],
])('a response finds %s', (_, before, after, expected) => {
  expect(differencesOf(before, after, 'response')).toEqual(expected);
});
