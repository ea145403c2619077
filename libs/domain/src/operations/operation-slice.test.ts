import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CollectionId, OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { findDocumentOperation, listDocumentOperations } from '../documents/document-operations.ts';
import { defaultCallSettings } from './call-settings.ts';
import { valueHintOf } from './credentials.ts';
import { buildOperationSlice, sliceBytes } from './operation-slice.ts';
import { sourceOf } from './references.ts';
import type { OperationContext } from './request-description.ts';
import { joinUrl } from './servers.ts';

const context: OperationContext = {
  collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
  collectionName: 'Pets',
  operationKey: 'abcdefghijklmnop' as OperationKey,
  settings: {
    ...defaultCallSettings,
    baseUrl: 'https://pets.example/v1/',
    authentication: { type: 'bearer', name: 'Authorization', in: null, isStored: false },
  },
};

interface Slice extends JsonObject {
  readonly parameters: readonly JsonObject[];
  readonly request_body: JsonObject & { readonly schema: JsonObject };
  readonly responses: JsonObject;
  readonly truncated: readonly { readonly pointer: string; readonly reason: string }[];
}

interface DocumentParts {
  readonly openapi?: string;
  readonly pathItem?: JsonObject;
  readonly schemas?: JsonObject;
  readonly components?: JsonObject;
}

const createDocument = (
  operation: JsonObject,
  { openapi = '3.0.3', pathItem = {}, schemas = {}, components = {} }: DocumentParts = {},
) => ({
  openapi,
  info: { title: 'Pets', version: '1' },
  paths: { '/pets/{id}': { ...pathItem, post: { responses: {}, ...operation } } },
  components: { schemas, ...components },
});

const buildSliceText = (
  document: Json,
  maxBytes: number = sliceBytes.default,
  detail: 'request' | 'full' = 'request',
) => {
  const operation = findDocumentOperation(document, 'POST', '/pets/{id}');
  if (!operation) throw new Error('There is no such operation');
  return buildOperationSlice(sourceOf(document), operation, context, { detail, maxBytes });
};
const buildSlice = (...parameters: Parameters<typeof buildSliceText>): Slice =>
  JSON.parse(buildSliceText(...parameters)) as Slice;

const createJsonBody = (schema: Json): JsonObject => ({ requestBody: { content: { 'application/json': { schema } } } });
const schemaOf = (schema: Json, parts?: DocumentParts): Json =>
  buildSlice(createDocument(createJsonBody(schema), parts)).request_body.schema;

test('a slice has all members, in their order', () => {
  expect(
    buildSlice(createDocument({ operationId: 'addPet', summary: 'Add a pet', tags: ['pets'], deprecated: true })),
  ).toEqual({
    collection_id: context.collectionId,
    collection_name: 'Pets',
    operation_key: 'abcdefghijklmnop',
    method: 'POST',
    url: 'https://pets.example/v1/pets/{id}',
    servers: [{ url: 'https://pets.example/v1/', description: null }],
    path: '/pets/{id}',
    operation_id: 'addPet',
    summary: 'Add a pet',
    description: null,
    deprecated: true,
    tags: ['pets'],
    authentication: [
      [
        {
          scheme: null,
          type: 'bearer',
          in: 'header',
          name: 'Authorization',
          prefix: 'Bearer ',
          scopes: [],
          token_url: null,
          hint: 'an access token of Pets, after "Bearer "',
          stored: false,
        },
      ],
    ],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
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
  expect(joinUrl(base, path).url).toBe(url);
});

test.each([
  ['basic', 'base64(user:password), after "Basic "'],
  ['bearer', 'an access token of Pets, after "Bearer "'],
  ['apiKey', 'the key of Pets'],
  ['none', null],
] as const)('the value of %s is described', (type, hint) => {
  expect(valueHintOf({ type, name: null, in: null }, 'Pets')).toBe(hint);
});

describe('parameters', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

  test('of the operation override those of the path, by name and location; required ones come first', () => {
    const document = createDocument(
      {
        parameters: [
          { ...id, schema: { type: 'integer' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
        ],
      },
      { pathItem: { parameters: [{ name: 'lang', in: 'query', schema: { type: 'string' } }, id] } },
    );
    expect(buildSlice(document).parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'lang', in: 'query', schema: { type: 'string' } },
      { name: 'id', in: 'query', schema: { type: 'string' } },
    ]);
  });
  test('are resolved if they are references; references to other documents are kept', () => {
    const document = createDocument(
      { parameters: [{ $ref: '#/components/parameters/Id' }, { $ref: 'other.yaml#/Page' }] },
      { components: { parameters: { Id: id } } },
    );
    const { parameters, truncated } = buildSlice(document);
    expect(parameters).toEqual([id, { $ref: 'other.yaml#/Page' }]);
    expect(truncated).toEqual([{ pointer: '/parameters/1', reason: 'external' }]);
  });
  test('state their serialisation only if it is not the default', () => {
    const document = createDocument({
      parameters: [
        id,
        { name: 'a', in: 'query', style: 'form', explode: true, schema: {} },
        { name: 'b', in: 'query', style: 'deepObject', explode: true, schema: {} },
        { name: 'c', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
    });
    expect(buildSlice(document).parameters).toEqual([
      id,
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
    const { request_body, truncated } = buildSlice(
      createDocument(createJsonBody({ $ref: '#/components/schemas/Tree' }), { schemas }),
    );
    expect(request_body.schema).toEqual({ properties: { child: { $ref: '#/components/schemas/Tree' } } });
    expect(truncated).toEqual([{ pointer: '/request_body/schema/properties/child', reason: 'cycle' }]);
  });
  test.each(['other.json#/Pet', '#/components/schemas/Nothing', '#/components/%'])('keeps the reference %s', ($ref) => {
    const { request_body, truncated } = buildSlice(createDocument(createJsonBody({ $ref })));
    expect(request_body.schema).toEqual({ $ref });
    expect(truncated).toEqual([{ pointer: '/request_body/schema', reason: 'external' }]);
  });
  test.each<[string, Json, Json]>([
    ['null as a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['null without a type, which has no effect', { nullable: true, maxLength: 3 }, { maxLength: 3 }],
    ['an exclusive bound', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['a bound that is not exclusive', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ['an example', { type: 'string', example: 'Rex' }, { type: 'string', examples: ['Rex'] }],
    ['a type that does not exist', { type: 'file' }, {}],
    ['a boolean for required', { type: 'string', required: true }, { type: 'string' }],
    ['a pattern in a different syntax', { pattern: '(?i)a' }, {}],
    ['a value that is not a list', { enum: 'a', anyOf: {} }, {}],
    ['a value that is not a schema', { properties: { a: null, b: [] } }, { properties: { a: {}, b: {} } }],
    ['annotations', { title: 'Pet', xml: {}, 'x-order': 1, externalDocs: {}, $comment: 'c' }, {}],
  ])('of OpenAPI 3.0 becomes valid JSON Schema: %s', (_, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
  });
  test('ignores siblings of a reference in OpenAPI 3.0, and combines them in 3.1', () => {
    const schemas = { Name: { type: 'string' } };
    const schema = { $ref: '#/components/schemas/Name', maxLength: 3 };
    expect(schemaOf(schema, { schemas })).toEqual({ type: 'string' });
    expect(schemaOf(schema, { schemas, openapi: '3.1.0' })).toEqual({ type: 'string', maxLength: 3 });
    const describedReference = { $ref: '#/components/schemas/Name', description: 'Its name' };
    expect(schemaOf(describedReference, { schemas, openapi: '3.1.0' })).toEqual({
      type: 'string',
      description: 'Its name',
    });
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
  const document = createDocument(operation, { components: { responses: { None: { description: 'No pet' } } } });

  test('contain the status and the description', () => {
    expect(buildSlice(document).responses).toEqual({ 200: { description: 'A pet' }, 404: { description: 'No pet' } });
  });
  test('contain the schema of the first successful response if the full detail is requested', () => {
    expect(buildSlice(document, sliceBytes.default, 'full').responses).toEqual({
      200: { description: 'A pet', content_type: 'application/json', schema: { type: 'object' } },
      404: { description: 'No pet' },
    });
  });
});

describe('a slice that does not fit', () => {
  const createMember = (i: number): [string, Json] => [`member${i}`, { type: 'string', description: 'd'.repeat(100) }];
  const createWideSchema = (count: number): Json => ({
    type: 'object',
    required: ['member7'],
    additionalProperties: false,
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => createMember(i))),
  });

  test('loses long descriptions first, then optional members, and lists them', () => {
    const { request_body, truncated } = buildSlice(createDocument(createJsonBody(createWideSchema(60))), 4_096);
    const properties = request_body.schema['properties'] as JsonObject;
    expect(Object.keys(properties)).toHaveLength(60);
    expect(properties['member7']).toMatchObject({ type: 'string' });
    expect(truncated.length).toBeGreaterThan(0);
    const smallerSlice = buildSlice(createDocument(createJsonBody(createWideSchema(200))), 2_048);
    expect(Object.keys(smallerSlice.request_body.schema['properties'] as JsonObject)[0]).toBe('member7');
    expect(smallerSlice.truncated).toContainEqual({ pointer: '/request_body/schema/properties', reason: 'budget' });
    // Missing members are not forbidden.
    expect(smallerSlice.request_body.schema).not.toHaveProperty('additionalProperties');
  });
  test('has the required ones of very many members, and lists that others are missing', () => {
    const names = Array.from({ length: 20_001 }, (_, i) => `m${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    const schemaWith = (count: number): Json => ({
      type: 'object',
      required: [`m${count - 1}`],
      additionalProperties: false,
      properties: Object.fromEntries(Object.entries(properties).slice(0, count)),
    });
    for (const count of [20_000, 20_001]) {
      const { request_body, truncated } = buildSlice(createDocument(createJsonBody(schemaWith(count))), 2_048);
      expect(Object.keys(request_body.schema['properties'] as JsonObject)[0]).toBe(`m${count - 1}`);
      expect(request_body.schema).not.toHaveProperty('additionalProperties');
      expect(truncated.some(({ pointer }) => '/request_body/schema/properties'.startsWith(pointer))).toBe(true);
    }
  });
  test('uses `anyOf` if one of the alternatives is truncated', () => {
    const { request_body, truncated } = buildSlice(
      createDocument(createJsonBody({ oneOf: [createWideSchema(40), { type: 'string' }] })),
      1_500,
    );
    expect(request_body.schema).toHaveProperty('anyOf');
    expect(truncated.some(({ pointer }) => pointer.startsWith('/request_body/schema/anyOf'))).toBe(true);
  });
  test('lists required parameters that are omitted', () => {
    const parameters = Array.from({ length: 40 }, (_, i) => ({ name: `${i}`.repeat(50), in: 'query', required: true }));
    const { parameters: remaining, truncated } = buildSlice(createDocument({ parameters }), 1_024);
    expect(remaining.length).toBeLessThan(40);
    expect(truncated.map(({ pointer }) => pointer)).toContain('/parameters');
  });
  test('has null for a URL that is too long, and lists it as truncated', () => {
    const document = createDocument({}, {});
    const operation = findDocumentOperation(document, 'POST', '/pets/{id}');
    const baseUrl = `https://${'a'.repeat(2_000)}.example`;
    const contextWithLongUrl = { ...context, settings: { ...context.settings, baseUrl } };
    const text =
      operation &&
      buildOperationSlice(sourceOf(document), operation, contextWithLongUrl, { detail: 'request', maxBytes: 1_024 });
    const result = JSON.parse(text ?? '') as Slice;
    expect(result).toMatchObject({ url: null, curl: null, path: '/pets/{id}' });
    expect(result.truncated.map(({ pointer }) => pointer).sort()).toEqual(['/curl', '/servers', '/url']);
  });
});

describe('with any document', () => {
  const name = fc.oneof(
    fc.constantFrom('properties', 'items', 'allOf', 'anyOf', 'oneOf', 'not', '$ref', 'required', 'type', 'enum'),
    fc.constantFrom('parameters', 'schema', 'content', 'name', 'in', 'description', 'application/json', '__proto__'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const leafValue = fc.oneof(
    fc.constantFrom('#/components/schemas/a', '#/components/schemas/b', '#', 'query', 'object', 'string', true, null),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.double(),
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'large', withCrossShrink: true },
      leafValue as fc.Arbitrary<Json>,
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 6 }),
    ),
  }));

  test.each([sliceBytes.min, 2_000, sliceBytes.default])('a slice of it is JSON of at most %i bytes', (maxBytes) => {
    const inputs = fc.record({ a: tree, b: tree, parameters: fc.array(tree), path: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(inputs, ({ a, b, parameters, path }) => {
        const document: Json = {
          openapi: '3.1.0',
          paths: { [`/${path}`]: { get: { ...createJsonBody(a), parameters, responses: b } } },
          components: { schemas: { a, b } },
        };
        for (const operation of listDocumentOperations(document)) {
          const text = buildOperationSlice(sourceOf(document), operation, context, { detail: 'full', maxBytes });
          expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maxBytes);
          expect(text.isWellFormed()).toBe(true);
          JSON.parse(text);
        }
      }),
      { numRuns: 200 },
    );
  });
  test('references that multiply are resolved only while they fit', () => {
    const names = Array.from({ length: 40 }, (_, i) => `s${i}`);
    const referenceTo = (i: number): Json => ({ $ref: `#/components/schemas/s${i}` });
    const schemas = Object.fromEntries(
      names.map((schemaName, i) => [
        schemaName,
        {
          not: referenceTo(i + 1),
          if: referenceTo(i + 1),
          allOf: [referenceTo(i + 1), referenceTo(i + 1)],
          anyOf: [referenceTo(i + 1), referenceTo(i + 1)],
        },
      ]),
    );
    const text = buildSliceText(
      createDocument(createJsonBody(referenceTo(0)), { schemas, openapi: '3.1.0' }),
      sliceBytes.max,
    );
    expect(text.length).toBeLessThanOrEqual(sliceBytes.max);
  });
});
