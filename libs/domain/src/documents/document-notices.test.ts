import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { baseUrlOf } from './document-base-url.ts';
import { listExternalReferences, listNotices } from './document-notices.ts';

const server = [{ url: 'https://pets.example' }];
const noticesOf = (document: Json) =>
  listNotices(document, baseUrlOf(document).value, listExternalReferences(document)).map(
    ({ path, message }) => `/${path.join('/')} ${message}`,
  );

describe('a base URL', () => {
  test.each([
    ['https://pets.example', {}],
    ['http://localhost:3000/v1?a=1', {}],
    ['HTTPS://user@pets.example', {}],
    ['https://{tenant}.example', { tenant: { default: 'a' } }],
  ])('%s is usable', (url, variables) => {
    expect(noticesOf({ servers: [{ url, variables }] })).toEqual([]);
  });

  test.each([
    ['', /names no server/],
    [' ', /names no server/],
    ['/v1', /'\/v1', is relative/],
    ['api/v1', /is relative/],
    ['api.pets.example/v1', /is relative/],
    ['//pets.example/v1', /has no scheme such as https/],
    ['https://', /has no valid host/],
    ['https:///v1', /has no valid host/],
    ['https://a b', /has no valid host/],
    ['wss://pets.example', /is not an HTTP address/],
    ['https://{tenant}.example', /a variable without a default, 'tenant'; the collection needs a value for it/],
  ])('%j is not usable', (url, message) => {
    const [notice, ...others] = noticesOf({ servers: [{ url }] });
    expect(others).toEqual([]);
    expect(notice).toMatch(message);
    expect(notice).toMatch(/^\/servers .*; the collection needs (?:a value for it or )?a base URL of its own$/);
  });

  test('is missing without servers', () => {
    for (const document of [{}, { servers: [] }, { servers: 7 }]) expect(noticesOf(document)).toHaveLength(1);
  });
});

describe('references', () => {
  test('within the document are not reported', () => {
    const schemas = {
      a: { $ref: '#/components/schemas/b' },
      b: { $id: 'b.json', $ref: '#' },
      c: { $ref: 'b.json#/x' },
    };
    expect(noticesOf({ servers: server, components: { schemas }, 'x-data': { $ref: { $ref: 7 } } })).toEqual([]);
  });

  test('that lead out are counted, at the position of the first one', () => {
    expect(noticesOf({ servers: server, a: [{ $ref: 'b.yaml#/c' }] })).toEqual([
      "/a/0 1 reference leads out of the document and is not followed: 'b.yaml'",
    ]);
    const paths = {
      '/a': { $ref: 'paths/a.yaml' },
      '/b': { get: { $ref: 'b.yaml' }, 'x-get': { $ref: 'b.yaml' } },
      '/c': { post: { parameters: [{ $ref: 'https://c.example/c.yaml#/c' }] } },
      '/d': { delete: { $ref: '../d.yaml' } },
    };
    expect(noticesOf({ servers: server, paths })).toEqual([
      "/paths//a 5 references lead out of the document and are not followed: 'paths/a.yaml', 'b.yaml', " +
        "'https://c.example/c.yaml', …; 3 operations or paths have no description here: /a, GET /b, DELETE /d",
    ]);
  });
});
