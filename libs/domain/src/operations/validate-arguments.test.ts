import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactNumber, type Json, type JsonObject } from '../json.ts';
import { sourceOf } from './references.ts';
import { createNode } from './schema-node.ts';
import { SchemaReader } from './schema-reader.ts';
import { ArgumentValidator } from './validate-arguments.ts';

const validateValue = (schema: Json, value: Json) =>
  new ArgumentValidator(new SchemaReader(sourceOf({ openapi: '3.1.0' }), 'request')).validate(
    createNode(schema),
    value,
    '',
  );

const name = fc.constantFrom('a', 'b', 'c/d');
const count = fc.integer({ min: 0, max: 3 });
const leaf = fc.constantFrom<Json>(0, 1, 2.5, 3, 'x', 'xy', '😀', null, true, false);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    // Sorted, because the order of members is not compared.
    fc
      .dictionary(name, tie('value'), { maxKeys: 3 })
      .map((members) => Object.fromEntries(Object.entries(members).sort())),
  ),
}));

/** Schemas with up to three keywords each. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const part = fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonObject>({}, { type: 'string' }, { minimum: 1 }),
    tie('schema'),
  );
  const keywords = {
    type: fc.constantFrom<Json>('object', 'array', 'integer', 'number', 'boolean', 'string', ['string', 'null']),
    enum: fc.uniqueArray(leaf, { minLength: 1, maxLength: 4, comparator: 'SameValue' }),
    const: leaf,
    minimum: count,
    maximum: count,
    exclusiveMinimum: count,
    exclusiveMaximum: count,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^x', 'y$', '.'),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.constant(true),
    prefixItems: fc.array(part, { minLength: 1, maxLength: 2 }),
    minProperties: count,
    maxProperties: count,
    properties: fc.dictionary(name, part, { maxKeys: 3 }),
    patternProperties: fc.dictionary(fc.constantFrom('a', '/'), part, { minKeys: 1, maxKeys: 2 }),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), part),
    items: part,
    anyOf: fc.array(part, { minLength: 1, maxLength: 3 }),
    allOf: fc.array(
      part.filter((member) => !('additionalProperties' in member)),
      { minLength: 1, maxLength: 2 },
    ),
  };
  return {
    schema: fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 })
      // Next to `allOf`, a limit of additional members is not always applied.
      .filter((keys) => !keys.includes('allOf') || !keys.includes('additionalProperties'))
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key as keyof typeof keywords]])))),
  };
});

test('a value is accepted exactly if JSON Schema accepts it', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 10, maxLength: 10 }), (jsonSchema, values) => {
      const isValid = new Ajv2020({ strict: false, logger: false }).compile(jsonSchema);
      for (const item of values) {
        const { value: result, errors } = validateValue(jsonSchema, item);
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
])('with the schema %j, %j becomes %j', (jsonSchema, input, expected) => {
  expect(validateValue(jsonSchema, input)).toEqual({ value: expected, errors: [] });
});

test.each<[JsonObject, Json, string, string]>([
  [{ type: 'integer' }, '1e2', '', 'must be an integer'],
  [{ type: 'integer' }, '012', '', 'must be an integer'],
  [{ properties: { a: { items: { enum: [1, 2] } } } }, { a: [3] }, '/a/0', 'must be one of 1, 2'],
  [{ required: ['a/b~c'] }, {}, '/a~1b~0c', 'is required'],
  [{ required: ['toString'] }, {}, '/toString', 'is required'],
  [{ additionalProperties: false }, { toString: 1 }, '/toString', 'is not a known member'],
  [{ exclusiveMinimum: 1 }, 1, '', 'must be more than 1'],
  [{ exclusiveMaximum: 1 }, 1, '', 'must be less than 1'],
  [{ uniqueItems: true }, ['a', 'b', 'a'], '', 'must not have an item twice'],
  [{ minProperties: 1 }, {}, '', 'must have at least 1 members'],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, '', 'must have at most 1 members'],
  [{ maximum: 9007199254740992 }, new ExactNumber('9007199254740993'), '', 'must be at most 9007199254740992'],
])('with the schema %j, %j is rejected at %j: %s', (jsonSchema, input, pointer, message) => {
  expect(validateValue(jsonSchema, input).errors).toEqual([{ pointer, message }]);
});

test('a schema may contain itself, at any depth', () => {
  const document: JsonObject = {
    openapi: '3.1.0',
    components: {
      schemas: {
        Tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
        },
      },
    },
  };
  const nest = (leaf: Json): Json => Array.from({ length: 30 }).reduce<Json>((inner) => ({ children: [inner] }), leaf);
  const validate = (input: Json) =>
    new ArgumentValidator(new SchemaReader(sourceOf(document), 'request')).validate(
      createNode({ $ref: '#/components/schemas/Tree' }),
      input,
      '',
    ).errors;
  expect(validate(nest({}))).toEqual([]);
  expect(validate(nest('x'))).toEqual([{ pointer: '/children/0'.repeat(30), message: 'must be an object' }]);
});

test.each<[string, JsonObject]>([
  ['an alternative', { properties: { id: { readOnly: true } }, oneOf: [{ required: ['id'] }] }],
  ['another schema', { allOf: [{ properties: { id: { readOnly: true } } }, { required: ['id'] }] }],
])('a read-only member that %s requires may be missing', (_, schema) => {
  expect(validateValue(schema, {}).errors).toEqual([]);
  expect(validateValue({ ...schema, required: ['name'] }, {}).errors).toEqual([
    { pointer: '/name', message: 'is required' },
  ]);
});

test('the members of one schema are not forbidden by another one', () => {
  const [a, b] = ['a', 'b'].map((name) => ({
    properties: { [name]: { type: 'integer' } },
    additionalProperties: false,
  }));
  const both = { allOf: [a ?? {}, b ?? {}] };
  expect(validateValue(both, { a: 1, b: 2 }).errors).toEqual([]);
  expect(validateValue(both, { a: 1, b: 'x' }).errors).toEqual([{ pointer: '/b', message: 'must be an integer' }]);
});

test('a schema that refers to itself without a member in between accepts everything', () => {
  const loop = { anyOf: [{ $ref: '#/components/schemas/Loop' }, { type: 'string' }] };
  const reader = new SchemaReader(sourceOf({ openapi: '3.1.0', components: { schemas: { Loop: loop } } }), 'request');
  expect(new ArgumentValidator(reader).validate(createNode(loop), 1, '').errors).toEqual([]);
});

test('a document that applies many schemas to many values cannot keep the validator busy', () => {
  const alternatives = Array.from({ length: 1_000 }, (_, i) => ({ type: 'string', pattern: `^${i}$` }));
  const schema = { items: { anyOf: [...alternatives, { type: 'string' }] } };
  const start = performance.now();
  expect(validateValue(schema, Array<Json>(20_000).fill('x')).errors).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('an alternative that takes a value without a change is preferred', () => {
  const alternatives = ['integer', 'string'].map((type) => ({ properties: { id: { type } } }));
  const input = { id: '12345' };
  expect(validateValue({ anyOf: alternatives }, input)).toEqual({ value: input, errors: [] });
});

test('long lists of values are compared quickly', () => {
  const list = Array.from({ length: 5_000 }, (_, i) => `value ${i}`);
  const values = Array<Json>(100_000).fill('value 4999');
  const start = performance.now();
  expect(validateValue({ items: { enum: list } }, values).errors).toEqual([]);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('numbers in a list of values can be texts', () => {
  expect(validateValue({ type: 'integer', enum: ['1', '2'] }, 2).errors).toEqual([]);
  expect(validateValue({ type: 'string', enum: [1, 2] }, '2').errors).toEqual([]);
  expect(validateValue({ type: 'string', enum: [1, 2] }, '3').errors).toHaveLength(1);
});

test('at most 20 errors are reported', () => {
  const values = Array<Json>(1_000).fill('x');
  expect(validateValue({ items: { type: 'boolean' } }, values).errors).toHaveLength(20);
  expect(validateValue({ required: values.map((_, i) => `${i}`) }, {}).errors).toHaveLength(20);
});
