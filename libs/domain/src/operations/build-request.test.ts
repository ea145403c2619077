import { describe, expect, test } from 'vitest';
import { createBody, describeOperation, type DocumentOptions } from '../../test/describe-operation.ts';
import type { Json, JsonObject } from '../json.ts';
import { buildRequest, UnsendableError, type RequestValues } from './build-request.ts';
import { toWireRequest } from './http-request.ts';

const server = { root: { servers: [{ url: 'https://pets.example' }] } };

/** Returns the request with all the values of parameters, by name, and the body. */
function requestOf(operation: JsonObject, values: JsonObject, body?: Json, options: DocumentOptions = {}) {
  const description = describeOperation(operation, { ...server, ...options });
  const parameters = description.parameters.flatMap((parameter): RequestValues['parameters'] =>
    Object.hasOwn(values, parameter.name) ? [[parameter, values[parameter.name] ?? null]] : [],
  );
  return buildRequest(description, { parameters, body });
}
const wireBodyOf = (content: JsonObject, body: Json): unknown =>
  toWireRequest(requestOf({ requestBody: { content } }, {}, body)).body;

describe('parameters', () => {
  const list = ['a b', 'c,d'];

  test.each<[string, JsonObject, Json, string]>([
    ['simple by default', {}, list, '/a%20b,c%2Cd'],
    ['label', { style: 'label' }, list, '/.a%20b,c%2Cd'],
    ['matrix, exploded', { style: 'matrix', explode: true }, list, '/;v=a%20b;v=c%2Cd'],
    ['as JSON', { content: { 'application/json': {} } }, { a: 1 }, '/%7B%22a%22%3A1%7D'],
  ])('in a path are written %s', (_, parameter, value, path) => {
    const operation = { parameters: [{ name: 'v', in: 'path', required: true, ...parameter }] };
    expect(requestOf(operation, { v: value }, undefined, { path: '/{v}' }).url).toBe(`https://pets.example${path}`);
  });

  test.each<[string, JsonObject, Json, string]>([
    ['form and exploded by default', {}, list, '?v=a%20b&v=c%2Cd'],
    ['pipe-delimited, not exploded by default', { style: 'pipeDelimited' }, list, '?v=a%20b%7Cc%2Cd'],
    ['with reserved characters', { allowReserved: true }, 'a/b?c&d', '?v=a/b?c%26d'],
    ['as JSON', { content: { 'application/json': {} } }, ['a'], '?v=%5B%22a%22%5D'],
    ['as JSON, also if it is a text', { content: { 'application/json': {} } }, 'a', '?v=%22a%22'],
    ['as it is, if it is a text of another type', { content: { 'text/plain': {} } }, 'a', '?v=a'],
    ['in a style of another location as form', { style: 'matrix' }, 'a', '?v=a'],
    ['only if they are not null', {}, null, ''],
    ['even if they are empty', {}, '', '?v='],
  ])('in a query are written %s', (_, parameter, value, query) => {
    const operation = { parameters: [{ name: 'v', in: 'query', ...parameter }] };
    expect(requestOf(operation, { v: value }).url).toBe(`https://pets.example/pets${query}`);
  });

  test('in a header are one line, and in cookies are pairs', () => {
    const parameters = [
      { name: 'X-List', in: 'header', schema: { type: 'array' } },
      { name: 'X-Map', in: 'header', explode: true },
      { name: 'c', in: 'cookie', explode: false },
      { name: 'd', in: 'cookie' },
    ];
    const values = { 'X-List': ['a b', 'c'], 'X-Map': { a: 1, b: 'ü' }, c: ['1', '2'], d: 'x;y' };
    expect(toWireRequest(requestOf({ parameters }, values)).headers).toEqual([
      ['X-List', 'a b,c'],
      ['X-Map', 'a=1,b=ü'],
      ['Cookie', 'c=1,2; d=x%3By'],
    ]);
  });

  test.each<[string, JsonObject, Json]>([
    ['an empty part of a path', { in: 'path' }, ''],
    ['a part of a path that means the same level', { in: 'path' }, '.'],
    ['a part of a path that means the level above', { in: 'path' }, '..'],
    ['a label that becomes the level above', { in: 'path', style: 'label' }, '.'],
    ['an empty list in a path', { in: 'path' }, []],
    ['a line break in a header', { in: 'header' }, 'a\r\nX-Other: b'],
    ['a character in a header that is not Latin-1', { in: 'header' }, '€'],
    ['a line break in the name of a header', { in: 'header', name: 'a\nb' }, 'x'],
  ])('cannot be %s', (_, parameter, value) => {
    const operation = { parameters: [{ name: 'v', required: true, ...parameter }] };
    const name = (parameter['name'] as string | undefined) ?? 'v';
    expect(() => requestOf(operation, { [name]: value }, undefined, { path: '/{v}/b' })).toThrow(UnsendableError);
  });

  test('in a path cannot leave their position', () => {
    const operation = { parameters: [{ name: 'v', in: 'path', required: true }] };
    expect(requestOf(operation, { v: '../../admin?x#y\\' }, undefined, { path: '/a/{v}/b' }).url).toBe(
      'https://pets.example/a/..%2F..%2Fadmin%3Fx%23y%5C/b',
    );
  });

  test.each([
    ['/100%/{v}', '/100%25/1'],
    ['/a%2Fb/{v}', '/a%2Fb/1'],
    ['/a b/{{v}}', '/a%20b/%7B1%7D'],
  ])('of the path %s leave the rest of it as a valid URL', (path, expected) => {
    expect(requestOf({}, { v: 1 }, undefined, { path }).url).toBe(`https://pets.example${expected}`);
  });
});

describe('a body', () => {
  test.each<[string, string[], string, string]>([
    ['JSON', ['text/plain', 'application/vnd.a+json', 'application/json'], 'application/json', 'json'],
    ['a JSON type', ['multipart/form-data', 'application/vnd.a+json'], 'application/vnd.a+json', 'json'],
    [
      'a form',
      ['multipart/form-data', 'application/x-www-form-urlencoded'],
      'application/x-www-form-urlencoded',
      'form',
    ],
    ['multipart', ['text/plain', 'multipart/form-data'], 'multipart/form-data', 'multipart'],
    ['the first other type', ['*/*', 'text/csv', 'text/plain'], 'text/csv', 'raw'],
    ['JSON for any type', ['*/*'], 'application/json', 'json'],
    ['JSON for any application', ['application/*'], 'application/json', 'json'],
    ['text for any text', ['text/*'], 'text/plain', 'raw'],
    ['bytes for any image', ['image/*'], 'application/octet-stream', 'raw'],
    ['a form for any multipart type', ['multipart/*'], 'multipart/form-data', 'multipart'],
  ])('is %s if it can be one of %j', (_, mediaTypes, contentType, kind) => {
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'object' } }]));
    const body = describeOperation({ requestBody: { content } }).body?.content;
    expect([body?.contentType, body?.kind]).toEqual([contentType, kind]);
    expect(body?.otherMediaTypes).toHaveLength(mediaTypes.length - 1);
  });

  test.each<[string, JsonObject, JsonObject, string]>([
    [
      'repeats lists, and writes objects as JSON',
      {},
      { a: [1, 'b c'], o: { x: 1 } },
      'a=1&a=b%20c&o=%7B%22x%22%3A1%7D',
    ],
    ['leaves out null and empty lists', {}, { a: null, b: [], c: '' }, 'c='],
    ['follows a style', { a: { style: 'deepObject', explode: true } }, { a: { x: 1 } }, 'a%5Bx%5D=1'],
    ['does not explode if the document says so', { a: { explode: false } }, { a: [1, 2] }, 'a=1,2'],
    ['writes JSON', { a: { contentType: 'application/json' } }, { a: [1] }, 'a=%5B1%5D'],
    ['keeps reserved characters', { a: { allowReserved: true } }, { a: 'x/y' }, 'a=x/y'],
  ])('that is a form %s', (_, encoding, value, text) => {
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, encoding } };
    expect(wireBodyOf(content, value)).toEqual({ text });
  });

  const file = { type: 'string', format: 'binary' };
  const multipart = (properties: JsonObject, encoding: JsonObject = {}): JsonObject => ({
    'multipart/form-data': { schema: { type: 'object', properties }, encoding },
  });

  test('that is multipart has one part for each item, with its type, and a file name for files', () => {
    const content = multipart({ files: { type: 'array', items: file } }, { meta: { contentType: 'application/json' } });
    const value = { files: ['one', 'data:text/csv;base64,YSxi'], meta: 'x', 'q"\r\n': 1 };
    expect(wireBodyOf(content, value)).toEqual({
      base64: btoa(
        [
          '--portico-0',
          'Content-Disposition: form-data; name="files"; filename="files"',
          'Content-Type: application/octet-stream',
          '',
          'one',
          '--portico-0',
          'Content-Disposition: form-data; name="files"; filename="files"',
          'Content-Type: text/csv',
          '',
          'a,b',
          '--portico-0',
          'Content-Disposition: form-data; name="meta"',
          'Content-Type: application/json',
          '',
          '"x"',
          '--portico-0',
          'Content-Disposition: form-data; name="q%22%0D%0A"',
          '',
          '1',
          '--portico-0--',
          '',
        ].join('\r\n'),
      ),
    });
  });
  test('has a boundary that its content does not contain', () => {
    const contents = [...Array(30).keys()].map((count) => `portico-${count}`).join();
    const { headers } = toWireRequest(requestOf({ requestBody: { content: multipart({}) } }, {}, { a: contents }));
    expect(headers).toEqual([['Content-Type', 'multipart/form-data; boundary=portico-30']]);
  });
  test('has the type of the file, if it is one of those that the document allows', () => {
    const content = multipart({ a: file }, { a: { contentType: 'image/png, image/jpeg' } });
    const partsOf = (value: Json) => requestOf({ requestBody: { content } }, {}, value).body;
    expect(partsOf({ a: 'data:image/jpeg;base64,YQ==' })).toMatchObject({ parts: [{ contentType: 'image/jpeg' }] });
    expect(partsOf({ a: 'data:text/html;base64,YQ==' })).toMatchObject({ parts: [{ contentType: 'image/png' }] });
  });
  test.each(['data:;base64,A', 'data:;base64,YQ=', 'data:;base64,Y===', 'data:;base64,?'])(
    'cannot be %s, which is no base64',
    (text) => {
      expect(() => wireBodyOf(multipart({ a: file }), { a: text })).toThrow(UnsendableError);
      expect(() => wireBodyOf({ 'image/png': {} }, text)).toThrow(UnsendableError);
    },
  );
  test('that is a text or a file is sent as it is', () => {
    expect(wireBodyOf({ 'text/csv': {} }, 'a,b')).toEqual({ text: 'a,b' });
    expect(wireBodyOf({ 'image/png': {} }, 'data:image/png;base64,iVBO')).toEqual({ base64: 'iVBO' });
    expect(requestOf(createBody({}, 'text/csv'), {}).body).toBeNull();
  });
});
