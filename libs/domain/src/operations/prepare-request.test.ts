import { describe, expect, test } from 'vitest';
import { createBody, createOperation, type DocumentOptions } from '../../test/describe-operation.ts';
import { parseExactJson } from '../exact-json.ts';
import type { Json, JsonObject } from '../json.ts';
import { prepareRequest, type PreparedRequest } from './prepare-request.ts';

const root = { servers: [{ url: 'https://pets.example' }], security: [{ key: [] }] };
const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };

const prepare = (operation: JsonObject, values: JsonObject, options: DocumentOptions = {}) =>
  prepareRequest(...createOperation(operation, { root, components, ...options }), values);

function requestOf(...parameters: Parameters<typeof prepare>): PreparedRequest {
  const result = prepare(...parameters);
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.request;
}
function errorsOf(...parameters: Parameters<typeof prepare>) {
  const result = prepare(...parameters);
  return 'errors' in result ? result.errors : [];
}

const string = { type: 'string' };
const flatBody = createBody({ type: 'object', required: ['name'], properties: { name: string, tag: string } });
const parameters = [
  { name: 'id', in: 'path', required: true, schema: string },
  { name: 'filter[a]', in: 'query', schema: string },
  { name: 'X-Trace', in: 'header', schema: string },
];
const pet = { path: '/pets/{id}' };

test('arguments become a request without the value of a credential', () => {
  const values = { id: 'a/b', filter_a_: 'x y', X_Trace: 't', name: 'Rex' };
  expect(requestOf({ parameters, ...flatBody }, values, pet)).toEqual({
    method: 'POST',
    url: 'https://pets.example/pets/a%2Fb?filter%5Ba%5D=x%20y',
    headers: [
      ['X-Trace', 't'],
      ['Content-Type', 'application/json'],
    ],
    body: { text: '{"name":"Rex"}' },
    credentials: [expect.objectContaining({ scheme: 'key', in: 'header', name: 'X-Key', isStored: false })],
    curl: `curl -X POST 'https://pets.example/pets/a%2Fb?filter%5Ba%5D=x%20y' -H 'X-Key: API_KEY' -H 'X-Trace: t' -H 'Content-Type: application/json' -d '{"name":"Rex"}'`,
    warnings: [],
  });
});

test.each<[string, JsonObject]>([
  ['of the tool', { id: '1', filter_a_: 'x', name: 'Rex' }],
  ['of the document', { id: '1', 'filter[a]': 'x', name: 'Rex' }],
  ['of the document, with the members of the body in `body`', { id: '1', 'filter[a]': 'x', body: { name: 'Rex' } }],
  ['of the tool, with null for one that is absent', { id: '1', filter_a_: 'x', X_Trace: null, name: 'Rex' }],
])('arguments can have the names %s', (_, values) => {
  const { url, body } = requestOf({ parameters, ...flatBody }, values, pet);
  expect({ url, body }).toEqual({
    url: 'https://pets.example/pets/1?filter%5Ba%5D=x',
    body: { text: '{"name":"Rex"}' },
  });
});

test('a member that contains the schema of the body is checked', () => {
  const schemas = {
    Pet: { type: 'object', properties: { name: string, parent: { $ref: '#/components/schemas/Pet' } } },
  };
  const body = createBody({ $ref: '#/components/schemas/Pet' });
  expect(errorsOf(body, { parent: 'Rex' }, { schemas })).toEqual([
    { pointer: '/parent', message: 'must be an object' },
  ]);
  expect(errorsOf(body, { parent: { parent: { name: 1 } } }, { schemas })).toEqual([
    { pointer: '/parent/parent/name', message: 'must be a string' },
  ]);
});

test('headers that the HTTP client computes are not arguments', () => {
  const headers = ['Content-Length', 'transfer-encoding', 'Host', 'Connection'].map((name) => ({
    name,
    in: 'header',
    required: true,
    schema: string,
  }));
  expect(requestOf({ parameters: headers }, {}).headers).toEqual([]);
});

test('null is a value where the schema accepts it', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: string } };
  expect(requestOf(createBody(schema), { a: null, b: null }).body).toEqual({ text: '{"a":null}' });
});

test.each<[JsonObject]>([
  [{ type: 'object', properties: { a: string }, additionalProperties: true }],
  [{ allOf: [{ type: 'object', additionalProperties: true, properties: { a: string } }, {}] }],
])('a body with the schema %j can have further members', (schema) => {
  const body = { text: '{"custom":1,"a":"x"}' };
  expect(requestOf(createBody(schema), { a: 'x', custom: 1 }).body).toEqual(body);
  expect(requestOf(createBody(schema), { body: { a: 'x', custom: 1 } }).body).toEqual(body);
});

test('numbers keep their digits', () => {
  const values = parseExactJson('{"a":1.10,"b":12345678901234567890}') as JsonObject;
  const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'integer' } } };
  expect(requestOf(createBody(schema), values).body).toEqual({ text: '{"a":1.10,"b":12345678901234567890}' });
});

test.each<[string, JsonObject, string, string]>([
  ['an unknown argument', { id: '1', name: 'Rex', nmae: 'x' }, '/nmae', 'is unknown: the arguments are id, filter_a_'],
  [
    'an unknown member of the body',
    { id: '1', body: { name: 'a', x: 1 } },
    '/body/x',
    'is unknown: the arguments are name',
  ],
  ['a parameter within the body', { id: '1', body: { name: 'a', id: '2' } }, '/body/id', 'is unknown'],
  [
    'a parameter within the body alone',
    { filter_a_: 'x', id: '1', body: { name: 'a', 'X-Trace': 't' } },
    '/body/X-Trace',
    'is unknown',
  ],
  ['an argument twice', { id: '1', name: 'a', body: { name: 'b' } }, '/body/name', 'is also at /name'],
  [
    'an argument by both its names',
    { id: '1', name: 'a', filter_a_: 'x', 'filter[a]': 'y' },
    '/filter[a]',
    'is also at /filter_a_',
  ],
  ['a wrong member of the body', { id: '1', body: { name: 1 } }, '/body/name', 'must be a string'],
  ['no required parameter', { name: 'Rex' }, '/id', 'is required'],
  ['no required member', { id: '1' }, '/name', 'is required'],
  ['null for a required member', { id: '1', name: null }, '/name', 'is required'],
  ['a value of another type', { id: '1', name: 1 }, '/name', 'must be a string'],
  ['an empty part of the path', { id: '', name: 'Rex' }, '/id', 'must not be empty'],
  ['the level above', { id: '..', name: 'Rex' }, '/id', 'must not be ..'],
  ['a second header', { id: '1', name: 'Rex', X_Trace: 'a\r\nX-Key: b' }, '/X_Trace', 'must be one line'],
])('%s is rejected', (_, values, pointer, message) => {
  expect(errorsOf({ parameters, ...flatBody }, values, pet)).toEqual([
    { pointer, message: expect.stringContaining(message) as string },
  ]);
});

test('unknown and wrong arguments are reported together', () => {
  const pointers = errorsOf({ parameters, ...flatBody }, { nmae: 'x', name: 1 }, pet).map(({ pointer }) => pointer);
  expect(pointers).toEqual(['/nmae', '/id', '/name']);
});

test('at most 20 errors are reported', () => {
  const values = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`unknown${i}`, 1]));
  expect(errorsOf({}, values)).toHaveLength(20);
});

describe('a file', () => {
  const body = createBody(
    { type: 'object', properties: { a: { type: 'string', format: 'binary' } } },
    'multipart/form-data',
  );

  test('whose base64 is invalid is rejected', () => {
    expect(errorsOf(body, { a: 'data:;base64,A' })).toEqual([
      { pointer: '', message: expect.stringContaining('base64') as string },
    ]);
  });
  test('in a body of many members is sent as a file', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`m${i}`, { $ref: '#/components/schemas/File' }]),
    );
    const schemas = { File: { type: 'string', format: 'binary' } };
    const values = Object.fromEntries(Object.keys(properties).map((name): [string, Json] => [name, 'x']));
    const request = requestOf(createBody({ type: 'object', properties }, 'multipart/form-data'), values, { schemas });
    expect(JSON.stringify(request.body).match(/filename=/g)).toHaveLength(200);
  });
});

test('names of members that all objects have are names like any other', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{}}}') as Json;
  const values = JSON.parse('{"__proto__":"a","toString":"b"}') as JsonObject;
  expect(requestOf(createBody(schema), values).body).toEqual({ text: '{"__proto__":"a","toString":"b"}' });
  expect(errorsOf(flatBody, { name: 'a', constructor: 1 })).toHaveLength(1);
});
