import { expect, test } from 'vitest';
import type { OperationKey } from '../ids.ts';
import { ExactNumber, type Json, type JsonObject } from '../json.ts';
import { compareDocuments } from './compare-documents.ts';

const operationOf = (rest: JsonObject, more: JsonObject = {}): Json => ({
  openapi: '3.1.0',
  paths: { '/a': { get: { responses: { 200: { description: 'OK' } }, ...rest } } },
  ...more,
});
const media = (schema: Json): JsonObject => ({ content: { 'application/json': { schema } } });
const bodyOf = (schema: Json, schemas: JsonObject = {}): Json =>
  operationOf({ requestBody: media(schema) }, { components: { schemas } });
const bodyOfTypes = (content: JsonObject): Json => operationOf({ requestBody: { content } });
const responsesOf = (responses: JsonObject): Json => operationOf({ responses });
const objectOf = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
});
const [text, integer] = [{ type: 'string' }, { type: 'integer' }];

const changesOf = (before: Json, after: Json) =>
  compareDocuments(before, after, {
    keyOf: (method, path) => `${method} ${path}` as OperationKey,
    // Fingerprints are not looked at.
    digestOf: () => '000000000000',
  }).changes;

const list = (before: Json, after: Json): readonly string[] =>
  changesOf(before, after).map(({ level, rule, place }) => `${level} ${rule} ${place}`.trim());

test.each<[string, Json, Json, string]>([
  [
    'a body that a webhook sends',
    operationOf({}, { webhooks: { a: { post: { requestBody: media(text) } } } }),
    operationOf({}, { webhooks: { a: { post: { requestBody: media(integer) } } } }),
    'breaking response-body-type-changed webhook a post application/json',
  ],
  [
    'a body that a callback sends',
    operationOf({ callbacks: { done: { '{$request.body#/url}': { post: { requestBody: media(text) } } } } }),
    operationOf({ callbacks: { done: { '{$request.body#/url}': { post: { requestBody: media(integer) } } } } }),
    'breaking response-body-type-changed callback done {$request.body#/url} post application/json',
  ],
  [
    'a callback that is removed',
    operationOf({ callbacks: { done: { '{$request.body#/url}': { post: {} } } } }),
    operationOf({}),
    'breaking callback-removed callback done {$request.body#/url} post',
  ],
  [
    'a required member that callers did not send, because it was read-only, and now must send',
    bodyOf(objectOf({ id: { ...text, readOnly: true } }, { required: ['id'] })),
    bodyOf(objectOf({ id: text }, { required: ['id'] })),
    'warning request-property-became-required request body application/json',
  ],
  [
    'an optional member that was read-only, and that callers must send',
    bodyOf(objectOf({ id: { ...text, readOnly: true } })),
    bodyOf(objectOf({ id: text }, { required: ['id'] })),
    'breaking request-property-became-required request body application/json',
  ],
  [
    'a required member that responses no longer contain, because it is write-only',
    responsesOf({ 200: media(objectOf({ id: text }, { required: ['id'] })) }),
    responsesOf({ 200: media(objectOf({ id: { ...text, writeOnly: true } }, { required: ['id'] })) }),
    'warning response-property-became-optional response 200 application/json',
  ],
  [
    'a dependent schema that changes behind its reference',
    bodyOf({ dependentSchemas: { a: { $ref: '#/components/schemas/A' } } }, { A: {} }),
    bodyOf({ dependentSchemas: { a: { $ref: '#/components/schemas/A' } } }, { A: { required: ['b'] } }),
    'warning request-body-dependent-schema-added request body application/json',
  ],
  [
    'a status that differs from the default response that described it',
    responsesOf({ default: media(text) }),
    responsesOf({ 200: media(integer), default: media(text) }),
    'breaking response-body-type-changed response 200 application/json',
  ],
  [
    'a status that differs from the range that described it',
    responsesOf({ '4XX': media(text) }),
    responsesOf({ 404: media(integer), '4XX': media(text) }),
    'breaking response-body-type-changed response 404 application/json',
  ],
  [
    'a media type that differs from the range that described it',
    bodyOfTypes({ 'application/*': { schema: {} } }),
    bodyOfTypes({ 'application/*': { schema: {} }, 'application/json': { schema: text } }),
    'breaking request-body-type-changed request body application/json',
  ],
  [
    'the schema of a header in its media type',
    responsesOf({ 200: { headers: { a: media(integer) } } }),
    responsesOf({ 200: { headers: { a: media(text) } } }),
    'breaking response-header-type-changed response 200 header a',
  ],
  [
    'a server of an operation of its own',
    operationOf({ servers: [{ url: 'https://a.example' }] }),
    operationOf({ servers: [{ url: 'https://b.example' }] }),
    'warning api-server-removed servers',
  ],
  [
    'a removed operation of a path that remains with another name of its parameter',
    { openapi: '3.1.0', paths: { '/a/{id}': { get: {} } } },
    { openapi: '3.1.0', paths: { '/a/{key}': { put: {} } } },
    'breaking api-removed-without-deprecation',
  ],
])('reports %s', (_, before, after, expected) => {
  expect(list(before, after)).toContain(expected);
});

test.each<[string, Json, Json]>([
  ['a status instead of its range', responsesOf({ '2XX': media(text) }), responsesOf({ 200: media(text) })],
  [
    'a media type of a response instead of its range',
    responsesOf({ 200: { content: { '*/*': { schema: text } } } }),
    responsesOf({ 200: media(text) }),
  ],
  [
    'a character set',
    bodyOfTypes({ 'application/json': { schema: text } }),
    bodyOfTypes({ 'application/json; charset=UTF-8': { schema: text } }),
  ],
  [
    'a media type of a parameter in other letters',
    operationOf({ parameters: [{ name: 'a', in: 'query', content: { 'application/json': {} } }] }),
    operationOf({ parameters: [{ name: 'a', in: 'query', content: { 'Application/JSON': {} } }] }),
  ],
  [
    'a status without content next to a default response',
    responsesOf({ 200: media(text), default: media(text) }),
    responsesOf({ 200: media(text), 401: {}, default: media(text) }),
  ],
])('%s breaks no caller', (_, before, after) => {
  expect(list(before, after).filter((line) => !line.startsWith('info'))).toEqual([]);
});

test('numbers keep their digits', () => {
  const [large, largest] = ['9007199254740992', '9007199254740993'].map((digits) => new ExactNumber(digits));
  const [change] = changesOf(bodyOf({ maximum: largest ?? 0 }), bodyOf({ maximum: large ?? 0 }));
  expect(change?.rule).toBe('request-body-max-decreased');
  expect(change?.text).toBe('The maximum was decreased from 9007199254740993 to 9007199254740992.');
  expect(list(bodyOf({ enum: [largest ?? 0] }), bodyOf({ multipleOf: 2 }))).toContain(
    'warning request-body-multiple-of-added request body application/json',
  );
  expect(
    list(bodyOf({ type: 'integer', multipleOf: largest ?? 0 }), bodyOf({ type: 'integer', multipleOf: 2 })),
  ).toContain('warning request-body-multiple-of-changed request body application/json');
});

test('several values are allowed, and one is', () => {
  const texts = [['a', 'b'], ['a']].map((values) => changesOf(bodyOf({}), bodyOf({ enum: values }))[0]?.text);
  expect(texts).toEqual(['Only "a", "b" are allowed now.', 'Only "a" is allowed now.']);
});

test('the name of a header with a key may be in other letters', () => {
  const schemeOf = (name: string) =>
    operationOf({}, { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } } });
  expect(list(schemeOf('X-Key'), schemeOf('x-key'))).toEqual([]);
});

test.each<[string, (reference: JsonObject) => JsonObject]>([
  ['not', (reference) => ({ not: reference })],
  ['contains', (reference) => ({ contains: reference })],
  ['allOf', (reference) => ({ allOf: [reference] })],
])('a chain of thousands of schemas by %s is compared', (_, link) => {
  const schemasOf = (end: JsonObject): JsonObject =>
    Object.fromEntries(
      Array.from({ length: 20_000 }, (_item, index) => [
        `S${index}`,
        index === 19_999 ? end : link({ $ref: `#/components/schemas/S${index + 1}` }),
      ]),
    );
  const first = { $ref: '#/components/schemas/S0' };
  expect(list(bodyOf(first, schemasOf(text)), bodyOf(first, schemasOf(integer)))).not.toEqual([]);
});
