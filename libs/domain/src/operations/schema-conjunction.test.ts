import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBody, createOperation, type DocumentOptions } from '../../test/describe-operation.ts';
import type { Json, JsonObject } from '../json.ts';
import { buildOperationSlice, sliceBytes } from './operation-slice.ts';

interface Slice {
  readonly request_body: { readonly schema: JsonObject };
  readonly truncated: readonly Json[];
}

const sliceOf = (schema: Json, options?: DocumentOptions): Slice =>
  JSON.parse(
    buildOperationSlice(...createOperation(createBody(schema), options), {
      detail: 'request',
      maxBytes: sliceBytes.max,
    }),
  ) as Slice;

const validatorOf = (schema: object) =>
  new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);

/** Returns null if the code that ajv generates fails, as it does for some nested `unevaluatedProperties`. */
const evaluate = (validate: ReturnType<typeof validatorOf>, item: Json): boolean | null => {
  try {
    return validate(item);
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) return null;
    throw error;
  }
};

const name = fc.constantFrom('a', 'b', 'ab');
const count = fc.integer({ min: 0, max: 2 });
const smallValue = fc.constantFrom<Json>(0, 1, 2, 'a', 'ab', null, true, [], [1], [1, 'a'], {}, { a: 1 }, { ab: 'a' });
const value = fc.oneof(
  smallValue,
  fc.array(smallValue, { maxLength: 3 }),
  fc.dictionary(name, smallValue, { maxKeys: 3 }),
);
const names = fc.uniqueArray(name, { maxLength: 2 });

/** Schemas with most keywords that depend on others; `contains` is tested below, because ajv reads it differently. */
const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const part = fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('schema'));
  const list = fc.array(part, { minLength: 1, maxLength: 2 });
  const reference = fc.constant({ $ref: '#/components/schemas/Two' });
  const keywords = {
    type: fc.constantFrom<Json>('object', 'array', 'integer', ['string', 'array'], ['number', 'object']),
    enum: fc.uniqueArray(smallValue, { minLength: 1, maxLength: 4, comparator: 'SameValue' }),
    const: smallValue,
    minimum: count,
    exclusiveMaximum: fc.integer({ min: 1, max: 3 }),
    maxLength: count,
    minItems: count,
    required: names,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
    properties: fc.dictionary(name, part, { maxKeys: 2 }),
    patternProperties: fc.dictionary(fc.constantFrom('a', '^b'), part, { maxKeys: 1 }),
    additionalProperties: part,
    unevaluatedProperties: fc.constant(false),
    propertyNames: part,
    prefixItems: list,
    items: part,
    allOf: fc.array(fc.oneof(part, reference), { minLength: 1, maxLength: 3 }),
    anyOf: list,
    oneOf: list,
    not: part,
    if: part,
    then: part,
    else: part,
  };
  return {
    schema: fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 3 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key as keyof typeof keywords]])))),
  };
});

test('a schema in a slice accepts exactly the values that all parts of its `allOf` accept', () => {
  const parts = fc.array(fc.oneof(anySchema, fc.constant({ $ref: '#/components/schemas/One' })), {
    minLength: 2,
    maxLength: 4,
  });
  const inputs = fc.record({
    parts,
    schemas: fc.record({ One: anySchema, Two: fc.constant({ unevaluatedProperties: false, properties: { a: {} } }) }),
    values: fc.array(value, { minLength: 20, maxLength: 20 }),
  });
  fc.assert(
    fc.property(inputs, ({ parts, schemas, values }) => {
      const original = { allOf: parts };
      const { request_body, truncated } = sliceOf(original, { schemas });
      fc.pre(truncated.length === 0);
      const isValid = validatorOf({ ...original, components: { schemas } });
      const isMergedValid = validatorOf(request_body.schema);
      for (const item of values) {
        const outcomes = [isMergedValid, isValid].map((validate) => evaluate(validate, item));
        fc.pre(!outcomes.includes(null));
        expect({ item, isValid: outcomes[0] }).toEqual({ item, isValid: outcomes[1] });
      }
    }),
    { numRuns: 200 },
  );
});

test.each<[string, JsonObject[], JsonObject]>([
  [
    'the narrower bounds',
    [
      { minimum: 1, maxLength: 5 },
      { minimum: 2, maxLength: 9 },
    ],
    { minimum: 2, maxLength: 5 },
  ],
  ['the common values', [{ enum: [1, 'a', null] }, { enum: ['a', 2, null] }], { enum: ['a', null] }],
  ['the constant of a list', [{ enum: [1, 2] }, { const: 2 }], { const: 2 }],
  ['the common types', [{ type: ['number', 'string'] }, { type: 'integer' }], { type: 'integer' }],
  ['all required members', [{ required: ['a'] }, { required: ['b', 'a'] }], { required: ['a', 'b'] }],
  [
    'contradicting types next to each other',
    [{ type: 'string' }, { type: 'object' }],
    { type: 'string', allOf: [{ type: 'object' }] },
  ],
  [
    'values without a common one next to each other',
    [{ enum: [1, 2] }, { enum: [3, 4] }],
    { enum: [1, 2], allOf: [{ enum: [3, 4] }] },
  ],
  ['two patterns', [{ pattern: 'a' }, { pattern: 'b' }], { pattern: 'a', allOf: [{ pattern: 'b' }] }],
  [
    'a condition with its own consequences',
    [
      { if: { const: 1 }, then: { minimum: 1 } },
      { if: { const: 2 }, else: { minimum: 2 } },
    ],
    { if: { const: 1 }, then: { minimum: 1 }, allOf: [{ if: { const: 2 }, else: { minimum: 2 } }] },
  ],
  [
    'a count with the items that it counts',
    [{ contains: { const: 1 } }, { contains: { const: 2 }, minContains: 2 }],
    { contains: { const: 1 }, allOf: [{ minContains: 2, contains: { const: 2 } }] },
  ],
  [
    'a schema of all items next to one of the others',
    [{ prefixItems: [{ const: 1 }], items: { type: 'string' } }, { items: { maxLength: 1 } }],
    { prefixItems: [{ const: 1 }], items: { type: 'string' }, allOf: [{ items: { maxLength: 1 } }] },
  ],
  [
    'a limit with the members that it refers to',
    [{ properties: { a: {} }, additionalProperties: false }, { patternProperties: { a: { type: 'string' } } }],
    {
      properties: { a: {} },
      patternProperties: { a: { type: 'string' } },
      allOf: [{ properties: { a: {} }, additionalProperties: false }],
    },
  ],
])('the conjunction contains %s', (_, allOf, expected) => {
  expect(sliceOf({ allOf }).request_body.schema).toEqual(expected);
});

test('a referenced schema that limits unevaluated members is not merged with others', () => {
  const schemas = { Closed: { properties: { a: {} }, unevaluatedProperties: false } };
  const allOf = [{ properties: { b: {} } }, { $ref: '#/components/schemas/Closed' }];
  expect(sliceOf({ allOf }, { schemas }).request_body.schema).toEqual({
    properties: { b: {} },
    allOf: [{ properties: { a: {} }, unevaluatedProperties: false }],
  });
});
