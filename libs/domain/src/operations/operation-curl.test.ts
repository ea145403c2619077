import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuthenticationScheme } from '../collections/collection.ts';
import type { Json, JsonObject } from '../json.ts';
import { findDocumentOperation } from '../documents/document-operations.ts';
import type { CollectionId, OperationKey } from '../ids.ts';
import { defaultCallSettings } from './call-settings.ts';
import { buildOperationCurl } from './operation-curl.ts';
import { sourceOf } from './references.ts';
import { describeRequest } from './request-description.ts';
import { toPlaceholder } from './sample-values.ts';

const noAuthentication: AuthenticationScheme = { type: 'none', name: null, in: null };

interface Options {
  readonly method?: string;
  readonly path?: string;
  readonly baseUrl?: string;
  readonly authentication?: AuthenticationScheme;
}

function buildCurl(operation: JsonObject, options: Options = {}): string | null {
  const {
    method = 'GET',
    path = '/pets/{petId}',
    baseUrl = 'https://pets.example/v1',
    authentication = noAuthentication,
  } = options;
  const document = { openapi: '3.0.3', paths: { [path]: { [method.toLowerCase()]: operation } } };
  const operationMatch = findDocumentOperation(document, method, path);
  const settings = { ...defaultCallSettings, baseUrl, authentication: { ...authentication, isStored: false } };
  const context = {
    collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
    collectionName: 'Pets',
    operationKey: 'abcdefghijklmnop' as OperationKey,
    settings,
  };
  return operationMatch ? buildOperationCurl(describeRequest(sourceOf(document), operationMatch, context)) : null;
}

const createBody = (mediaType: string, schema: Json): JsonObject => ({
  requestBody: { content: { [mediaType]: { schema } } },
});
const pet: Json = {
  required: ['name', 'age', 'tags', 'isCat'],
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { enum: ['a'] } },
    isCat: { type: 'boolean' },
  },
};

test.each<[string, JsonObject, Options, string]>([
  ['a path', {}, {}, "curl 'https://pets.example/v1/pets/PET_ID'"],
  ['HEAD', {}, { method: 'HEAD' }, "curl -I 'https://pets.example/v1/pets/PET_ID'"],
  [
    'required parameters',
    {
      parameters: [
        { name: 'q', in: 'query', required: true },
        { name: 'page', in: 'query' },
        { name: 'X-Trace', in: 'header', required: true },
        { name: 'lang', in: 'cookie', required: true },
      ],
    },
    { path: '/pets' },
    "curl 'https://pets.example/v1/pets?q=Q' -H 'X-Trace: X_TRACE' -b 'lang=LANG'",
  ],
  [
    'parameters whose names differ only in case',
    {
      parameters: [
        { name: 'id', in: 'query', required: true },
        { name: 'ID', in: 'query', required: true },
      ],
    },
    { path: '/pets' },
    "curl 'https://pets.example/v1/pets?id=ID&ID=ID_2'",
  ],
  [
    'a body of required members',
    createBody('application/json', pet),
    { method: 'POST', path: '/pets' },
    `curl -X POST 'https://pets.example/v1/pets' -H 'Content-Type: application/json' -d '{"name":"NAME","age":0,"tags":["a"],"isCat":true}'`,
  ],
  [
    'a form',
    createBody('application/x-www-form-urlencoded', pet),
    { method: 'POST', path: '/pets' },
    `curl -X POST 'https://pets.example/v1/pets' -d 'name=NAME&age=0&tags=a&isCat=true'`,
  ],
  [
    'a multipart form',
    createBody('multipart/form-data', {
      required: ['file'],
      properties: { file: { type: 'string', format: 'binary' } },
    }),
    { method: 'POST', path: '/pets' },
    `curl -X POST 'https://pets.example/v1/pets' -F 'file=@FILE'`,
  ],
  [
    'bytes',
    createBody('image/png', { type: 'string', format: 'binary' }),
    { method: 'PUT', path: '/pets' },
    `curl -X PUT 'https://pets.example/v1/pets' -H 'Content-Type: image/png' --data-binary '@FILE'`,
  ],
  [
    'a variable in the base URL',
    {},
    { path: '/a', baseUrl: 'https://{your-domain}.example/' },
    "curl 'https://YOUR_DOMAIN.example/a'",
  ],
  ['a base URL without a host', {}, { path: '/a', baseUrl: '/v2' }, "curl 'https://HOST/v2/a'"],
  ['a base URL that is not one', {}, { path: '/a', baseUrl: 'Your API URL' }, "curl 'https://HOST/Your%20API%20URL/a'"],
  [
    'a base URL without a protocol',
    {},
    { path: '/a', baseUrl: '//pets.example/v1' },
    "curl 'https://pets.example/v1/a'",
  ],
  [
    'a body for GET',
    createBody('application/json', pet),
    { path: '/pets' },
    `curl -X GET 'https://pets.example/v1/pets' -H 'Content-Type: application/json' -d '{"name":"NAME","age":0,"tags":["a"],"isCat":true}'`,
  ],
])('the command line contains %s', (_, operation, options, line) => {
  expect(buildCurl(operation, options)).toBe(line);
});

test.each<[AuthenticationScheme, string]>([
  [{ type: 'bearer', name: 'Authorization', in: null }, " -H 'Authorization: Bearer ACCESS_TOKEN'"],
  [{ type: 'basic', name: 'Authorization', in: null }, " -H 'Authorization: Basic BASE64_OF_USER_AND_PASSWORD'"],
  [{ type: 'apiKey', name: 'X-Key', in: 'header' }, " -H 'X-Key: API_KEY'"],
  [{ type: 'apiKey', name: 'key', in: 'cookie' }, " -b 'key=API_KEY'"],
  [noAuthentication, ''],
])('the credential of %j is inserted', (authentication, end) => {
  const operation = { parameters: [{ name: 'Authorization', in: 'header', required: true }] };
  const authorizationHeader = authentication.name === 'Authorization' ? '' : " -H 'Authorization: AUTHORIZATION'";
  const headers = end.startsWith(' -b') ? `${authorizationHeader}${end}` : `${end}${authorizationHeader}`;
  expect(buildCurl(operation, { path: '/a', authentication })).toBe(`curl 'https://pets.example/v1/a'${headers}`);
});

test('an API key in the query is a parameter', () => {
  expect(buildCurl({}, { path: '/a', authentication: { type: 'apiKey', name: 'key', in: 'query' } })).toBe(
    "curl 'https://pets.example/v1/a?key=API_KEY'",
  );
});

test.each([
  ['petId', 'PET_ID'],
  ['x-trace.id', 'X_TRACE_ID'],
  ['[]', 'VALUE'],
])('the placeholder of %s is %s', (name, expected) => {
  expect(toPlaceholder(name)).toBe(expected);
});

test('a command line has at most 2,000 characters, or is null', () => {
  expect(buildCurl({}, { path: `/${'a'.repeat(1_969)}` })).toHaveLength(2_000);
  expect(buildCurl({}, { path: `/${'a'.repeat(1_970)}` })).toBeNull();
});

describe('with any document', () => {
  const maliciousText = fc.oneof(
    fc.constantFrom(
      "'; touch /tmp/x; '",
      '$(id)',
      '`id`',
      '\n-o /tmp/x',
      '@/etc/passwd',
      'a=@/etc/passwd',
      '-K',
      '\\',
      '"',
      '<a',
      '\u0000',
      '{',
      '[1-9]',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  /** Returns the arguments that the shell passes to curl, which is a shell function here. */
  const argumentsOf = (line: string): string[] => {
    const output = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${line}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return output.toString().split('\n').slice(0, -1);
  };

  test('a shell passes only the intended options, each with one value, and reads no file', () => {
    const inputs = fc.record({
      path: maliciousText,
      baseUrl: maliciousText,
      name: maliciousText,
      media: fc.constantFrom('multipart/form-data', 'application/json', 'application/x-www-form-urlencoded', 'text/x'),
    });
    fc.assert(
      fc.property(inputs, ({ path, baseUrl, name, media }) => {
        const parameters = ['path', 'query', 'header', 'cookie'].map((location) => ({
          name,
          in: location,
          required: true,
        }));
        const operation = {
          parameters,
          ...createBody(media, { required: [name], properties: { [name]: { enum: [name] } } }),
        };
        const scheme: AuthenticationScheme = { type: 'apiKey', name, in: 'cookie' };
        const line = buildCurl(operation, { method: 'POST', path: `/${path}`, baseUrl, authentication: scheme });
        if (line === null) return;
        expect(line).not.toMatch(/\p{Cc}/u);
        const [method, post, address, ...options] = argumentsOf(line);
        expect([method, post]).toEqual(['-X', 'POST']);
        expect(address).toMatch(/^https?:\/\/[^\s{}[\]]*$/i);
        expect(options.length % 2).toBe(0);
        for (let index = 0; index < options.length; index += 2) {
          const [option = '', value = ''] = options.slice(index, index + 2);
          expect(['-H', '-b', '-d', '-F', '--form-string', '--data-binary', '--data-raw']).toContain(option);
          if (option === '--data-binary') expect(value).toBe('@FILE');
          else if (option !== '--data-raw') expect(value).not.toMatch(/^@/);
          if (option === '-F') expect(value).toMatch(/^[^=]*=@FILE$/);
          if (option === '-b') expect(value).toContain('=');
        }
      }),
      { numRuns: 150 },
    );
  });
});
