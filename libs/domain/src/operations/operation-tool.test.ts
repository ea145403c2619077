import { describe, expect, test } from 'vitest';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { findDocumentOperation } from '../documents/document-operations.ts';
import { defaultCallSettings } from './call-settings.ts';
import { buildOperationTool } from './operation-tool.ts';
import { sourceOf } from './references.ts';
import type { OperationContext } from './request-description.ts';

const context: OperationContext = {
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: 'Pets',
  operationKey: 'abcdefghijklmnop' as OperationKey,
  settings: {
    ...defaultCallSettings,
    authentication: { type: 'apiKey', name: 'api_key', in: 'query', isStored: false },
  },
};

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly properties: Record<string, JsonObject> };
}

function toolOf(operation: JsonObject, maxBytes = 8_192, schemas: JsonObject = {}, path = '/pets'): Tool {
  const document = { openapi: '3.0.3', paths: { [path]: { post: operation } }, components: { schemas } };
  const match = findDocumentOperation(document, 'POST', path);
  if (!match) throw new Error('There is no such operation');
  return JSON.parse(buildOperationTool(sourceOf(document), match, context, maxBytes)) as Tool;
}

const createJsonBody = (schema: Json, required = true): JsonObject => ({
  requestBody: { required, content: { 'application/json': { schema } } },
});

test('parameters and members of the body are properties of one object, each with its location', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, description: 'Which pet' },
    { name: 'filter[name]', in: 'query', schema: { type: 'string', nullable: true } },
    { name: 'api_key', in: 'query', required: true, schema: { type: 'string' } },
  ];
  const body = createJsonBody({
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, age: { type: 'integer' } },
  });
  expect(toolOf({ operationId: 'addPet', summary: 'Add a pet', parameters, ...body }, 8_192, {}, '/pets/{id}')).toEqual(
    {
      name: 'addPet_abcdf9071a',
      description: 'Add a pet (POST /pets/{id})',
      input_schema: {
        type: 'object',
        properties: {
          id: { type: 'integer', description: 'Which pet', 'x-portico-in': 'path' },
          filter_name_: { type: ['string', 'null'], 'x-portico-in': 'query', 'x-portico-name': 'filter[name]' },
          id_body: { type: 'string', 'x-portico-in': 'body', 'x-portico-name': 'id' },
          age: { type: 'integer', 'x-portico-in': 'body' },
        },
        required: ['id', 'id_body'],
      },
      request: { method: 'POST', url: '/pets/{id}', content_type: 'application/json', accept: null },
    },
  );
});

test.each<[string, Json]>([
  ['a list', { type: 'array', items: { type: 'string' } }],
  ['a map', { type: 'object', additionalProperties: true }],
  ['alternatives', { type: 'object', properties: { a: {} }, oneOf: [{ type: 'object' }] }],
])('a body that is %s is one property', (_, schema) => {
  const { properties, required } = toolOf(createJsonBody(schema)).input_schema;
  expect(properties['body']).toMatchObject({ 'x-portico-in': 'body', 'x-portico-name': '' });
  expect(required).toEqual(['body']);
});

test('an optional body that can hold nothing is no argument', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  expect(toolOf(createJsonBody(schema, false)).input_schema.properties).toEqual({});
  expect(toolOf(createJsonBody(schema, true)).input_schema.properties).toHaveProperty('body');
  const open = { ...schema, additionalProperties: true };
  expect(toolOf(createJsonBody(open, false)).input_schema.properties).toHaveProperty('body');
});

test('the members that a body requires are required, even if the body is optional', () => {
  const { input_schema } = toolOf(createJsonBody({ type: 'object', required: ['a'], properties: { a: {} } }, false));
  expect(input_schema.required).toEqual(['a']);
});

test.each([
  ['addPet', 'addPet_abcdf9071a'],
  ['pets/add', 'pets_add_abcdf9071a'],
  ['', 'post_pets_abcdf9071a'],
  ['a'.repeat(65), `${'a'.repeat(53)}_abcdf9071a`],
  ['1st', '_st_abcdf9071a'],
])('the tool of the operation %j is named %s', (operationId, name) => {
  expect(toolOf({ operationId }).name).toBe(name);
});

describe('a schema of a tool', () => {
  const schemaOf = (schema: Json, schemas: JsonObject = {}): Json => {
    const operation = createJsonBody({ type: 'object', properties: { a: schema } });
    const property = toolOf(operation, 8_192, schemas).input_schema.properties['a'] ?? {};
    return Object.fromEntries(Object.entries(property).filter(([name]) => name !== 'x-portico-in'));
  };
  test.each<[string, Json, Json]>([
    [
      'merges allOf',
      { allOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }] },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a'] },
    ],
    [
      'has anyOf for oneOf',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    ['has an enum for const', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['has inclusive bounds', { type: 'integer', minimum: 0, exclusiveMinimum: true }, { type: 'integer', minimum: 1 }],
    [
      'has the narrower one of two bounds',
      { type: 'integer', minimum: 9, exclusiveMinimum: 2 },
      { type: 'integer', minimum: 9 },
    ],
    ['has items in every list', { type: 'array' }, { type: 'array', items: {} }],
    ['has no other keywords', { type: 'array', items: {}, uniqueItems: true, not: {} }, { type: 'array', items: {} }],
    [
      'has all members that it requires',
      { type: 'object', required: ['b'], properties: { a: {} } },
      { type: 'object', properties: { b: {}, a: {} }, required: ['b'] },
    ],
    [
      'has members that it requires without describing any',
      { type: 'object', required: ['b'] },
      { type: 'object', properties: { b: {} }, required: ['b'] },
    ],
    [
      'requires members that its alternatives describe',
      {
        required: ['a', 'b', 'id'],
        oneOf: [
          { type: 'object', properties: { a: { type: 'string' }, b: {}, id: { readOnly: true } } },
          { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
          { type: 'string' },
        ],
      },
      {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
          { type: 'object', properties: { a: { type: 'integer' }, b: {} }, required: ['a', 'b'] },
          { type: 'string' },
        ],
      },
    ],
    [
      'has the narrower one of two bounds, and the values of both lists',
      {
        allOf: [
          { type: 'integer', maximum: 9, enum: [1, 2, 3] },
          { type: 'number', maximum: 5, enum: [2, 3, 4] },
        ],
      },
      { type: 'integer', maximum: 5, enum: [2, 3] },
    ],
    ['keeps null and booleans in a list of values', { enum: ['a', true, null] }, { enum: ['a', true, null] }],
    [
      'combines two lists of alternatives',
      { allOf: [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, { oneOf: [{ maximum: 3 }, { maximum: 4 }] }] },
      {
        anyOf: [
          { minimum: 1, maximum: 3 },
          { minimum: 1, maximum: 4 },
          { minimum: 2, maximum: 3 },
          { minimum: 2, maximum: 4 },
        ],
      },
    ],
    [
      'has the schema of further members',
      { additionalProperties: { type: 'string' } },
      { additionalProperties: { type: 'string' } },
    ],
  ])('%s', (_, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
  });
  test('that is recursive ends where it repeats', () => {
    const schemas = { Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } } };
    expect(schemaOf({ $ref: '#/components/schemas/Tree' }, schemas)).toEqual({
      type: 'object',
      properties: { child: {} },
    });
  });
  test('merges parts that multiply only up to a limit', () => {
    const referenceTo = (i: number): Json => ({ $ref: `#/components/schemas/s${i}` });
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `s${i}`,
        { allOf: [referenceTo(i + 1), referenceTo(i + 1)], anyOf: [referenceTo(i + 1)] },
      ]),
    );
    expect(schemaOf(referenceTo(0), schemas)).toBeTypeOf('object');
  });
});

test('arguments that do not fit are listed in the description', () => {
  const names = Array.from({ length: 100 }, (_, i) => `member_${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const tool = toolOf(createJsonBody({ type: 'object', required: names, properties }), 1_024);
  expect(JSON.stringify(tool).length).toBeLessThanOrEqual(1_024);
  expect(tool.description).toMatch(/ Left out: member_\d+, /);
  expect(tool.input_schema['required']).toEqual(Object.keys(tool.input_schema.properties));
  expect(Object.keys(tool.input_schema.properties).length).toBeGreaterThan(3);
});

test('a description has at most 1,024 characters, and ends with method and path', () => {
  const { description } = toolOf({ summary: 'S', description: 'd'.repeat(5_000) }, 8_192, {}, '/pets/{id}');
  expect(description.length).toBeLessThanOrEqual(1_024);
  expect(description).toMatch(/…  ?\(POST \/pets\/\{id\}\)$|… \(POST \/pets\/\{id\}\)$/);
});
