import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactNumber, type Json, type JsonObject } from '../json.ts';
import { validateValue } from './validate-arguments.ts';

const name = fc.constantFrom('a', 'b', 'c/d');
const count = fc.integer({ min: 0, max: 3 });
const leaf = fc.constantFrom<Json>(0, 1, 2.5, 3, 'x', 'xy', '😀', null, true, false);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));

/** Schemas in the form of a tool, with up to three keywords each. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const part = fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonObject>({}, { type: 'string' }, { minimum: 1 }),
    tie('schema'),
  );
  const keywords = {
    type: fc.constantFrom<Json>('object', 'array', 'integer', 'number', 'boolean', 'string', ['string', 'null']),
    enum: fc.uniqueArray(leaf, { minLength: 1, maxLength: 4, comparator: 'SameValue' }),
    minimum: count,
    maximum: count,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^x', 'y$', '.'),
    minItems: count,
    maxItems: count,
    properties: fc.dictionary(name, part, { maxKeys: 3 }),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), part),
    items: part,
    anyOf: fc.array(part, { minLength: 1, maxLength: 3 }),
  };
  return {
    schema: fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key as keyof typeof keywords]])))),
  };
});

test('a value is accepted exactly if JSON Schema accepts it', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 10, maxLength: 10 }), (toolSchema, values) => {
      const isValid = new Ajv2020({ strict: false, logger: false }).compile(toolSchema);
      for (const item of values) {
        const { value: result, errors } = validateValue(toolSchema, item, '');
        expect({ item, isValid: errors.length === 0 }).toEqual({ item, isValid: isValid(item) });
        expect(result).toEqual(item);
      }
    }),
    { numRuns: 300 },
  );
});

test.each<[JsonObject, Json, Json]>([
  [{ type: 'integer' }, '12', 12],
  [{ type: 'number' }, '-1.50', new ExactNumber('-1.50')],
  [{ type: 'integer' }, '12345678901234567890', new ExactNumber('12345678901234567890')],
  [{ type: ['boolean', 'null'] }, 'true', true],
  [{ type: ['string', 'null'] }, '12', '12'],
  [{}, '12', '12'],
  [{ type: 'array', items: { type: 'integer' } }, ['1', 2], [1, 2]],
  [{ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, 'false', false],
])('with the schema %j, %j becomes %j', (toolSchema, input, expected) => {
  expect(validateValue(toolSchema, input, '')).toEqual({ value: expected, errors: [] });
});

test.each<[JsonObject, Json, string, string]>([
  [{ type: 'integer' }, '1e2', '', 'must be an integer'],
  [{ type: 'integer' }, '012', '', 'must be an integer'],
  [{ properties: { a: { items: { enum: [1, 2] } } } }, { a: [3] }, '/a/0', 'must be one of 1, 2'],
  [{ required: ['a/b~c'] }, {}, '/a~1b~0c', 'is required'],
  [{ required: ['toString'] }, {}, '/toString', 'is required'],
  [{ additionalProperties: false }, { toString: 1 }, '/toString', 'is not a known member'],
  [{ maximum: 9007199254740992 }, new ExactNumber('9007199254740993'), '', 'must be at most 9007199254740992'],
])('with the schema %j, %j is rejected at %j: %s', (toolSchema, input, pointer, message) => {
  expect(validateValue(toolSchema, input, '').errors).toEqual([{ pointer, message }]);
});

test('at most 20 errors are reported', () => {
  const values = Array<Json>(1_000).fill('x');
  expect(validateValue({ items: { type: 'boolean' } }, values, '').errors).toHaveLength(20);
  expect(validateValue({ required: values.map((_, i) => `${i}`) }, {}, '').errors).toHaveLength(20);
});
