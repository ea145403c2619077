import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { originOf, originsOf } from './origins.ts';

const noSettings = { baseUrl: null, serverVariables: {} };
const serversAt = (...urls: readonly string[]) => ({ servers: urls.map((url) => ({ url })) });
const flow = (tokenUrl: string) => ({ type: 'oauth2', flows: { clientCredentials: { tokenUrl } } });

const document = {
  ...serversAt('https://{region}.api.example/v1', '/relative', 'ftp://files.example'),
  paths: {
    '/a': { ...serversAt('HTTPS://Path.example:443/x'), get: {} },
    '/b': { get: serversAt('//operation.example:8443'), post: {} },
  },
  components: {
    securitySchemes: {
      a: flow('https://tokens.example/token'),
      b: flow('/token'),
      c: { $ref: '#/components/securitySchemes/a' },
    },
  },
} as JsonObject;

test('the origins are those of all servers and token addresses, normalised, sorted and without duplicates', () => {
  expect(originsOf(document, { baseUrl: null, serverVariables: { region: 'EU' } })).toEqual([
    'https://eu.api.example',
    'https://operation.example:8443',
    'https://path.example',
    'https://tokens.example',
  ]);
});

test("a base URL replaces the document's servers, but neither those of paths and operations nor token addresses", () => {
  expect(originsOf(document, { baseUrl: 'http://127.1:80/v2', serverVariables: {} })).toEqual([
    'http://127.0.0.1',
    'https://operation.example:8443',
    'https://path.example',
    'https://tokens.example',
  ]);
});

test('an address without a host, or with a variable without a value in it, has no origin', () => {
  expect(originsOf(serversAt('https://{region}.example', '/v1', '', 'mailto:ada@a.example'), noSettings)).toEqual([]);
  expect(originsOf({ paths: {} }, noSettings)).toEqual([]);
  for (const url of ['', '/v1', 'ftp://a.example', 'https://', 'https://a b', 'https://{x}.example'])
    expect(originOf(url)).toBeNull();
  expect(originOf('https://a.example/{id}?b={c}')).toBe('https://a.example');
});

test('of a document with more than 200 origins, the first are taken, those of the document and its tokens before others', () => {
  const createDocument = (count: number) => {
    const paths = Array.from({ length: count }, (_, index) => [
      `/${index}`,
      { get: serversAt(`https://p${index}.example`) },
    ]);
    const { components } = document;
    return {
      ...serversAt('https://z.example'),
      components,
      paths: Object.fromEntries(paths) as JsonObject,
    } as JsonObject;
  };
  expect(originsOf(createDocument(198), noSettings)).toHaveLength(200);
  const origins = originsOf(createDocument(199), noSettings);
  expect(origins).toHaveLength(200);
  expect(origins).toContain('https://z.example');
  expect(origins).toContain('https://tokens.example');
  expect(origins).not.toContain('https://p198.example');
});
