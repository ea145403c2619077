import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { documentOperation, documentOperations } from '../documents/document-operations.ts';
import { operationSlice, operationUrl, sliceBytes, valueHint, type OperationFacts } from './operation-slice.ts';

const facts: OperationFacts = {
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: 'Pets',
  operationKey: 'abcdefghijklmnop' as OperationKey,
  baseUrl: 'https://pets.example/v1/',
  authentication: { type: 'bearer', name: 'Authorization', in: null },
};

interface Slice extends JsonObject {
  readonly parameters: readonly JsonObject[];
  readonly request_body: JsonObject & { readonly schema: JsonObject };
  readonly responses: JsonObject;
  readonly truncated: readonly string[];
}

interface DocumentParts {
  readonly openapi?: string;
  readonly item?: JsonObject;
  readonly schemas?: JsonObject;
  readonly components?: JsonObject;
}

const documentWith = (
  operation: JsonObject,
  { openapi = '3.0.3', item = {}, schemas = {}, components = {} }: DocumentParts = {},
) => ({
  openapi,
  info: { title: 'Pets', version: '1' },
  paths: { '/pets/{id}': { ...item, post: { responses: {}, ...operation } } },
  components: { schemas, ...components },
});

const sliceText = (document: Json, maxBytes: number = sliceBytes.default, detail: 'request' | 'full' = 'request') => {
  const operation = documentOperation(document, 'POST', '/pets/{id}');
  if (!operation) throw new Error('There is no such operation');
  return operationSlice(document, operation, facts, { detail, maxBytes });
};
const slice = (...parameters: Parameters<typeof sliceText>): Slice => JSON.parse(sliceText(...parameters)) as Slice;

const json = (schema: Json): JsonObject => ({ requestBody: { content: { 'application/json': { schema } } } });
const schemaOf = (schema: Json, parts?: DocumentParts): Json =>
  slice(documentWith(json(schema), parts)).request_body.schema;

test('a slice has all members, in their order', () => {
  expect(
    slice(documentWith({ operationId: 'addPet', summary: 'Add a pet', tags: ['pets'], deprecated: true })),
  ).toEqual({
    collection_id: facts.collectionId,
    collection_name: 'Pets',
    operation_key: 'abcdefghijklmnop',
    method: 'POST',
    url: 'https://pets.example/v1/pets/{id}',
    path: '/pets/{id}',
    operation_id: 'addPet',
    summary: 'Add a pet',
    description: null,
    deprecated: true,
    tags: ['pets'],
    authentication: {
      type: 'bearer',
      name: 'Authorization',
      in: null,
      value: null,
      value_hint: 'an access token of Pets, after "Bearer "',
    },
    parameters: [],
    request_body: null,
    responses: {},
    truncated: [],
    curl: "curl -X POST 'https://pets.example/v1/pets/ID' -H 'Authorization: Bearer ACCESS_TOKEN'",
  });
});

test.each([
  ['https://a.example', '/b', 'https://a.example/b'],
  ['https://a.example/', '/b', 'https://a.example/b'],
  ['https://a.example//', 'b', 'https://a.example/b'],
  ['/', '/b', '/b'],
])('the URL of %s and %s has one slash between them', (base, path, url) => {
  expect(operationUrl(base, path)).toBe(url);
});

test.each([
  ['basic', 'base64(user:password), after "Basic "'],
  ['bearer', 'an access token of Pets, after "Bearer "'],
  ['apiKey', 'the key of Pets'],
  ['none', null],
] as const)('the value of %s is described', (type, hint) => {
  expect(valueHint({ type, name: null, in: null }, 'Pets')).toBe(hint);
});

describe('parameters', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

  test('of the operation override those of the path, by name and location; required ones come first', () => {
    const document = documentWith(
      {
        parameters: [
          { ...id, schema: { type: 'integer' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
        ],
      },
      { item: { parameters: [{ name: 'lang', in: 'query', schema: { type: 'string' } }, id] } },
    );
    expect(slice(document).parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'lang', in: 'query', schema: { type: 'string' } },
      { name: 'id', in: 'query', schema: { type: 'string' } },
    ]);
  });
  test('are resolved if they are references; references out of the document stay', () => {
    const document = documentWith(
      { parameters: [{ $ref: '#/components/parameters/Id' }, { $ref: 'other.yaml#/Page' }] },
      { components: { parameters: { Id: id } } },
    );
    expect(slice(document).parameters).toEqual([id, { $ref: 'other.yaml#/Page' }]);
  });
  test('state their serialisation only if it is not the default', () => {
    const document = documentWith({
      parameters: [
        { name: 'a', in: 'query', style: 'form', explode: true, schema: {} },
        { name: 'b', in: 'query', style: 'deepObject', explode: true, schema: {} },
        { name: 'c', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
    });
    expect(slice(document).parameters).toEqual([
      { name: 'a', in: 'query', schema: {} },
      { name: 'b', in: 'query', style: 'deepObject', explode: true, schema: {} },
      { name: 'c', in: 'query', content_type: 'application/json', schema: { type: 'object' } },
    ]);
  });
});

describe('a schema', () => {
  test('has the targets of its references inlined', () => {
    const schemas = {
      Pet: { properties: { owner: { $ref: '#/components/schemas/Owner' } } },
      Owner: { type: 'string' },
    };
    expect(schemaOf({ $ref: '#/components/schemas/Pet' }, { schemas })).toEqual({
      properties: { owner: { type: 'string' } },
    });
  });
  test('that is recursive ends with a reference to itself, which is reported as truncated', () => {
    const schemas = { Tree: { properties: { child: { $ref: '#/components/schemas/Tree' } } } };
    const { request_body, truncated } = slice(documentWith(json({ $ref: '#/components/schemas/Tree' }), { schemas }));
    expect(request_body.schema).toEqual({ properties: { child: { $ref: '#/components/schemas/Tree' } } });
    expect(truncated).toEqual(['/request_body/schema/properties/child']);
  });
  test.each(['other.json#/Pet', '#/components/schemas/Nothing', '#/components/%'])('keeps the reference %s', ($ref) => {
    const { request_body, truncated } = slice(documentWith(json({ $ref })));
    expect(request_body.schema).toEqual({ $ref });
    expect(truncated).toEqual([]);
  });
  test.each<[string, Json, Json]>([
    ['null as a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['null without a type, which has no effect', { nullable: true, maxLength: 3 }, { maxLength: 3 }],
    ['an exclusive bound', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['a bound that is not exclusive', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ['an example', { type: 'string', example: 'Rex' }, { type: 'string', examples: ['Rex'] }],
    ['a type that does not exist', { type: 'file' }, {}],
    ['a flag for required', { type: 'string', required: true }, { type: 'string' }],
    ['a pattern of another grammar', { pattern: '(?i)a' }, {}],
    ['a missing list', { enum: 'a', anyOf: {} }, {}],
    ['a value that is not a schema', { properties: { a: null, b: [] } }, { properties: { a: {}, b: {} } }],
    ['notes', { title: 'Pet', xml: {}, 'x-order': 1, externalDocs: {}, $comment: 'c' }, {}],
  ])('of OpenAPI 3.0 is valid JSON Schema: %s', (_, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
  });
  test('of OpenAPI 3.0 ignores siblings of a reference, of 3.1 it combines them', () => {
    const schemas = { Name: { type: 'string' } };
    const schema = { $ref: '#/components/schemas/Name', maxLength: 3 };
    expect(schemaOf(schema, { schemas })).toEqual({ type: 'string' });
    expect(schemaOf(schema, { schemas, openapi: '3.1.0' })).toEqual({ maxLength: 3, allOf: [{ type: 'string' }] });
    const described = { $ref: '#/components/schemas/Name', description: 'Its name' };
    expect(schemaOf(described, { schemas, openapi: '3.1.0' })).toEqual({ type: 'string', description: 'Its name' });
  });
  test('may have members named like a prototype', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"toString":{"type":"integer"}}}') as Json;
    expect(JSON.stringify(schemaOf(schema))).toBe(JSON.stringify(schema));
  });
});

describe('responses', () => {
  const operation = {
    responses: {
      200: { description: 'A pet', content: { 'application/json': { schema: { type: 'object' } } } },
      404: { $ref: '#/components/responses/None' },
    },
  };
  const document = documentWith(operation, { components: { responses: { None: { description: 'No pet' } } } });

  test('are status and description', () => {
    expect(slice(document).responses).toEqual({ 200: { description: 'A pet' }, 404: { description: 'No pet' } });
  });
  test('have the schema of the first success if the full detail is requested', () => {
    expect(slice(document, sliceBytes.default, 'full').responses).toEqual({
      200: { description: 'A pet', content_type: 'application/json', schema: { type: 'object' } },
      404: { description: 'No pet' },
    });
  });
});

describe('a slice that does not fit', () => {
  const member = (i: number): [string, Json] => [`member${i}`, { type: 'string', description: 'd'.repeat(100) }];
  const wide = (count: number): Json => ({
    type: 'object',
    required: ['member7'],
    additionalProperties: false,
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => member(i))),
  });

  test('loses long descriptions first, then optional members, and lists them', () => {
    const { request_body, truncated } = slice(documentWith(json(wide(60))), 4_096);
    const properties = request_body.schema['properties'] as JsonObject;
    expect(Object.keys(properties)).toHaveLength(60);
    expect(properties['member7']).toMatchObject({ type: 'string' });
    expect(truncated.length).toBeGreaterThan(0);
    const less = slice(documentWith(json(wide(200))), 2_048);
    expect(Object.keys(less.request_body.schema['properties'] as JsonObject)[0]).toBe('member7');
    expect(less.truncated).toContain('/request_body/schema/properties');
    // Missing members are not forbidden.
    expect(less.request_body.schema).not.toHaveProperty('additionalProperties');
  });
  test('uses `anyOf` if one of the alternatives is cut', () => {
    const { request_body, truncated } = slice(documentWith(json({ oneOf: [wide(40), { type: 'string' }] })), 1_500);
    expect(request_body.schema).toHaveProperty('anyOf');
    expect(truncated.some((pointer) => pointer.startsWith('/request_body/schema/anyOf'))).toBe(true);
  });
  test('lists required parameters that are cut', () => {
    const parameters = Array.from({ length: 40 }, (_, i) => ({ name: `${i}`.repeat(50), in: 'query', required: true }));
    const { parameters: remaining, truncated } = slice(documentWith({ parameters }), 1_024);
    expect(remaining.length).toBeLessThan(40);
    expect(truncated).toContain('/parameters/-');
  });
  test('has null for a URL that is too long, and lists it as cut', () => {
    const document = documentWith({}, {});
    const operation = documentOperation(document, 'POST', '/pets/{id}');
    const long = { ...facts, baseUrl: `https://${'a'.repeat(2_000)}.example` };
    const text = operation && operationSlice(document, operation, long, { detail: 'request', maxBytes: 1_024 });
    const result = JSON.parse(text ?? '') as Slice;
    expect(result).toMatchObject({ url: null, curl: null, path: '/pets/{id}' });
    expect([...result.truncated].sort()).toEqual(['/curl', '/url']);
  });
});

describe('with any document', () => {
  const name = fc.oneof(
    fc.constantFrom('properties', 'items', 'allOf', 'anyOf', 'oneOf', 'not', '$ref', 'required', 'type', 'enum'),
    fc.constantFrom('parameters', 'schema', 'content', 'name', 'in', 'description', 'application/json', '__proto__'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const leaf = fc.oneof(
    fc.constantFrom('#/components/schemas/a', '#/components/schemas/b', '#', 'query', 'object', 'string', true, null),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.double(),
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'large', withCrossShrink: true },
      leaf as fc.Arbitrary<Json>,
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 6 }),
    ),
  }));

  test.each([sliceBytes.min, 2_000, sliceBytes.default])('a slice of it is JSON of at most %i bytes', (maxBytes) => {
    const any = fc.record({ a: tree, b: tree, parameters: fc.array(tree), path: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(any, ({ a, b, parameters, path }) => {
        const document: Json = {
          openapi: '3.1.0',
          paths: { [`/${path}`]: { get: { ...json(a), parameters, responses: b } } },
          components: { schemas: { a, b } },
        };
        for (const operation of documentOperations(document)) {
          const text = operationSlice(document, operation, facts, { detail: 'full', maxBytes });
          expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maxBytes);
          expect(text.isWellFormed()).toBe(true);
          JSON.parse(text);
        }
      }),
      { numRuns: 200 },
    );
  });
  test('references that multiply are resolved only as far as there is room', () => {
    const names = Array.from({ length: 40 }, (_, i) => `s${i}`);
    const to = (i: number): Json => ({ $ref: `#/components/schemas/s${i}` });
    const schemas = Object.fromEntries(
      names.map((one, i) => [
        one,
        { not: to(i + 1), if: to(i + 1), allOf: [to(i + 1), to(i + 1)], anyOf: [to(i + 1), to(i + 1)] },
      ]),
    );
    const text = sliceText(documentWith(json(to(0)), { schemas, openapi: '3.1.0' }), sliceBytes.max);
    expect(text.length).toBeLessThanOrEqual(sliceBytes.max);
  });
});
