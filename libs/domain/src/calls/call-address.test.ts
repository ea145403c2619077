import { expect, test } from 'vitest';
import { rejectOverrides, requireOrigin } from './call-address.ts';

test.each([
  ['https://API.example:443/v1/items?x=1', 'https://api.example'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['https://api.example', 'https://api.example'],
  ['https://api.example/a..b/...;/.well-known/x.', 'https://api.example'],
  ['https://api.example/items?path=../../etc', 'https://api.example'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example'],
])('the origin of %s is %s', (url, origin) => {
  expect(requireOrigin(url)).toBe(origin);
});

test.each([
  '/items',
  '//api.example/items',
  'ftp://api.example/',
  'https://{host}/items',
  'https:///items',
  'https://',
])('the address %s is not complete', (url) => {
  expect(() => requireOrigin(url)).toThrow('The API is unreachable: the document names no complete address');
});

test('an address with a user name is not called', () => {
  expect(() => requireOrigin('https://user:password@api.example/')).toThrow('The API is unreachable');
});

test.each([
  'https://api.example/items/../admin',
  'https://api.example/items/./x',
  'https://api.example/..',
  'https://api.example/items/..?x',
  'https://api.example/items/%2e%2e/admin',
  'https://api.example/items/.%2E/admin',
  'https://api.example/items/a%2F..%2Fadmin',
  'https://api.example/items/a%5c..%5cadmin',
  'https://api.example/items/a%252f..%252fadmin',
  'https://api.example/items/%252e%252e/admin',
  'https://api.example/items/..;/admin',
  'https://api.example/items/..%3bx/admin',
  'https://api.example/items/..%3fx',
  'https://api.example/items/..%2523x/admin',
  'https://api.example/items/..\\admin',
])('a segment of the path must not be relative: %s', (url) => {
  expect(() => requireOrigin(url)).toThrow('Invalid arguments: must not contain the segment . or ..');
});

test.each(['X-HTTP-Method-Override', 'x-http-method', 'X-METHOD-OVERRIDE', 'X-Original-URL', 'X-Rewrite-Url'])(
  'the header %s could lead to another operation',
  (name) => {
    expect(() =>
      rejectOverrides([
        ['Accept', '*/*'],
        [name, 'DELETE'],
      ]),
    ).toThrow('Invalid arguments');
    expect(() => rejectOverrides([[`${name}-Not`, 'DELETE']])).not.toThrow();
  },
);
