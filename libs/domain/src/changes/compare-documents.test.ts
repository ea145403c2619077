import { expect, test } from 'vitest';
import type { OperationKey } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { changeRules } from './change-rules.ts';
import { compareDocuments } from './compare-documents.ts';

const documentOf = (paths: Json, rest: JsonObject = {}): Json => ({ openapi: '3.1.0', paths, ...rest });

const compare = (before: Json, after: Json, steps?: number) =>
  compareDocuments(before, after, {
    ...(steps === undefined ? {} : { steps }),
    keyOf: (method, path) => `${method} ${path}` as OperationKey,
    // A digest only has to differ.
    digestOf: (text) =>
      [...text]
        .reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 2 ** 40, 7)
        .toString(16)
        .padStart(12, '0'),
  });

const list = (before: Json, after: Json): readonly string[] =>
  compare(before, after).changes.map(({ level, rule, operation, place }) =>
    [level, rule, operation?.key ?? '', place].join(' ').replace(/ +/g, ' ').trim(),
  );

const okay: JsonObject = { responses: { 200: { description: 'OK' } } };
const operationOf = (rest: JsonObject): Json => documentOf({ '/a': { get: { ...okay, ...rest } } });
const parametersOf = (...parameters: readonly Json[]): Json => operationOf({ parameters });
const query = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  ...rest,
});
const bodyOf = (schema: Json, rest: JsonObject = {}): Json =>
  operationOf({ requestBody: { content: { 'application/json': { schema } }, ...rest } });
const responseOf = (responses: JsonObject): Json => operationOf({ responses });
const media = (schema: Json): JsonObject => ({ content: { 'application/json': { schema } } });
const securityOf = (security: Json): Json => operationOf({ security });

test.each<[string, Json, Json, string[]]>([
  [
    'an operation that is added or removed',
    documentOf({ '/a': { get: okay, put: okay } }),
    documentOf({ '/a': { get: okay, post: okay } }),
    ['breaking api-removed-without-deprecation PUT /a', 'info endpoint-added POST /a'],
  ],
  [
    'a path that is removed after its deprecation',
    documentOf({ '/a': { get: { ...okay, deprecated: true } } }),
    documentOf({}),
    ['warning api-path-removed-with-deprecation GET /a'],
  ],
  [
    'nothing for a parameter of the path with another name',
    documentOf({ '/a/{id}': { get: okay } }),
    documentOf({ '/a/{key}': { get: okay } }),
    [],
  ],
  ['a deprecation', operationOf({}), operationOf({ deprecated: true }), ['info endpoint-deprecated GET /a']],
  [
    'an operation id',
    operationOf({ operationId: 'a' }),
    operationOf({ operationId: 'b' }),
    ['info api-operation-id-removed GET /a', 'info api-operation-id-added GET /a'],
  ],
  [
    'parameters that are added',
    parametersOf(),
    parametersOf(query('a'), query('b', { required: true })),
    [
      'breaking new-required-request-parameter GET /a query parameter b',
      'info new-optional-request-parameter GET /a query parameter a',
    ],
  ],
  [
    'a parameter that is removed',
    parametersOf(query('a')),
    parametersOf(),
    ['breaking request-parameter-removed GET /a query parameter a'],
  ],
  [
    'nothing for a header that OpenAPI describes elsewhere',
    parametersOf({ name: 'Accept', in: 'header' }),
    parametersOf(),
    [],
  ],
  [
    'a parameter that becomes required',
    parametersOf(query('a')),
    parametersOf(query('a', { required: true })),
    ['breaking request-parameter-became-required GET /a query parameter a'],
  ],
  [
    'nothing for a header in other letters',
    parametersOf({ ...query('X-A'), in: 'header' }),
    parametersOf({ ...query('x-a'), in: 'header' }),
    [],
  ],
  [
    'a style',
    parametersOf(query('a', { schema: { type: 'array' } })),
    parametersOf(query('a', { schema: { type: 'array' }, style: 'pipeDelimited', explode: true })),
    ['breaking request-parameter-style-changed GET /a query parameter a'],
  ],
  ['nothing for explode of a text', parametersOf(query('a')), parametersOf(query('a', { explode: false })), []],
  [
    'a parameter that accepts any text',
    parametersOf(query('a', { schema: { type: 'integer' } })),
    parametersOf(query('a')),
    ['info request-parameter-type-generalized GET /a query parameter a'],
  ],
  [
    'a default of a parameter',
    parametersOf(query('a', { schema: { type: 'string', default: 'x' } })),
    parametersOf(query('a', { schema: { type: 'string', default: 'y' } })),
    ['info request-parameter-default-value-changed GET /a query parameter a'],
  ],
  [
    'a body that is added and required',
    operationOf({}),
    bodyOf({}, { required: true }),
    ['breaking request-body-added-required GET /a request body'],
  ],
  ['a body that is removed', bodyOf({}), operationOf({}), ['breaking request-body-removed GET /a request body']],
  [
    'a media type that is removed',
    bodyOf({}),
    operationOf({ requestBody: { content: { 'text/plain': {} } } }),
    [
      'breaking request-body-media-type-removed GET /a request body',
      'info request-body-media-type-added GET /a request body',
    ],
  ],
  [
    'nothing for a media type in a range',
    bodyOf({}),
    operationOf({ requestBody: { content: { 'application/*': {} } } }),
    ['info request-body-media-type-added GET /a request body'],
  ],
  [
    'a property of a body that is removed',
    bodyOf({ type: 'object', properties: { a: {} } }),
    bodyOf({ type: 'object' }),
    ['warning request-property-removed GET /a request body application/json'],
  ],
  [
    'a property of a closed body that is removed',
    bodyOf({ additionalProperties: false, properties: { a: {} } }),
    bodyOf({ additionalProperties: false }),
    ['breaking request-property-removed GET /a request body application/json'],
  ],
  [
    'responses that are added or removed',
    responseOf({ 200: {}, 404: {} }),
    responseOf({ 202: {} }),
    [
      'breaking response-success-status-removed GET /a response 200',
      'info response-non-success-status-removed GET /a response 404',
      'info response-success-status-added GET /a response 202',
    ],
  ],
  [
    'nothing for a response in a range',
    responseOf({ 200: {} }),
    responseOf({ '2XX': {} }),
    ['info response-success-status-added GET /a response 2XX'],
  ],
  [
    'a header that may be absent',
    responseOf({ 200: { headers: { 'X-A': { required: true } } } }),
    responseOf({ 200: { headers: { 'x-a': {} } } }),
    ['breaking response-header-became-optional GET /a response 200 header x-a'],
  ],
  [
    'a value that is added to a response',
    responseOf({ 200: media({ enum: ['a'] }) }),
    responseOf({ 200: media({ enum: ['a', 'b'] }) }),
    ['warning response-body-enum-value-added GET /a response 200 application/json'],
  ],
  [
    'authentication that is required',
    securityOf([]),
    securityOf([{ key: [] }]),
    ['breaking api-security-added GET /a security'],
  ],
  [
    'an alternative of authentication',
    securityOf([{ a: [] }]),
    securityOf([{ a: [] }, { b: [] }]),
    ['info api-security-alternative-added GET /a security'],
  ],
  [
    'an alternative that is removed',
    securityOf([{ a: [] }, { b: [] }]),
    securityOf([{ a: [] }]),
    ['breaking api-security-alternative-removed GET /a security'],
  ],
  [
    'a scope',
    securityOf([{ a: ['x'] }]),
    securityOf([{ a: ['x', 'y'] }]),
    ['breaking api-security-scope-added GET /a security'],
  ],
  [
    'authentication that is no longer required',
    securityOf([{ a: [] }]),
    securityOf([]),
    ['info api-security-removed GET /a security'],
  ],
  [
    'a server',
    documentOf({}, { servers: [{ url: 'https://a.example' }] }),
    documentOf({}, { servers: [{ url: 'https://b.example' }] }),
    ['warning api-server-removed servers', 'info api-server-added servers'],
  ],
  [
    'a webhook',
    documentOf({}, { webhooks: { a: { post: {} } } }),
    documentOf({}, { webhooks: { b: { post: {} } } }),
    ['breaking webhook-removed webhook a post', 'info webhook-added webhook b post'],
  ],
  [
    'a security scheme',
    documentOf({}, { components: { securitySchemes: { a: { type: 'http', scheme: 'basic' } } } }),
    documentOf({}, { components: { securitySchemes: { a: { type: 'http', scheme: 'bearer' } } } }),
    ['breaking api-security-component-type-changed security scheme a'],
  ],
])('reports %s', (_, before, after, expected) => {
  expect(list(before, after)).toEqual(expected);
  for (const { rule } of compare(before, after).changes) expect([rule, changeRules.has(rule)]).toEqual([rule, true]);
});

test('a change has words, an example, and a fingerprint that does not depend on other changes', () => {
  const before = bodyOf({ type: 'object', properties: { price: { type: 'number', maximum: 10 } } });
  const after = bodyOf({ type: 'object', properties: { price: { type: 'number', maximum: 5 } } });
  const { changes, counts } = compare(before, after);
  expect(counts).toEqual({ breaking: 1, warning: 0, info: 0 });
  expect(changes).toEqual([
    {
      rule: 'request-property-max-decreased',
      level: 'breaking',
      operation: { key: 'GET /a', method: 'GET', path: '/a' },
      place: 'request body application/json /price',
      text: 'The maximum was decreased from 10 to 5.',
      example: '{"price":10}',
      fingerprint: changes[0]?.fingerprint,
    },
  ]);
  const withMore = compare(before, { ...(after as JsonObject), webhooks: { a: { post: {} } } });
  expect(withMore.changes[0]?.fingerprint).toBe(changes[0]?.fingerprint);
  expect(changes[0]?.fingerprint).toMatch(/^[0-9a-f]{12}$/);
});

test('a number keeps its digits in an example', () => {
  const { changes } = compare(bodyOf({ enum: ['9007199254740993', 1] }), bodyOf({ enum: [1] }));
  expect(changes[0]?.example).toBe('"9007199254740993"');
});

test('a comparison that would take too long ends with warnings, and says so first', () => {
  const texts = Array.from({ length: 3_000 }, (_, index) => `p${index}`);
  const schemaOf = (type: string): Json => ({
    type: 'object',
    properties: Object.fromEntries(texts.map((text) => [text, { type }])),
  });
  const [before, after] = [bodyOf(schemaOf('string')), bodyOf(schemaOf('integer'))];
  const complete = compare(before, after);
  expect([complete.counts.breaking > 100, complete.changes[0]?.rule]).toEqual([true, 'request-property-type-changed']);
  const { changes, counts } = compare(before, after, 20_000);
  expect([changes[0]?.level, counts.warning > 0]).toEqual(['warning', true]);
  expect(changes.map(({ rule }) => rule)).toContain('comparison-incomplete');
});
