import { describe, expect, test } from 'vitest';
import { describeOperation, type DocumentOptions } from '../../test/describe-operation.ts';
import type { Json, JsonObject } from '../json.ts';
import { joinUrl, resolveUrl } from './servers.ts';

const addressOf = (operation: JsonObject, options: DocumentOptions = {}) =>
  describeOperation(operation, options).address;
const serverList = (...urls: string[]): JsonObject => ({ servers: urls.map((url) => ({ url })) });
const withVariables = (url: string, variables?: Json): JsonObject => ({
  servers: [{ url, ...(variables === undefined ? {} : { variables }) }],
});

describe('the servers of an operation', () => {
  const root = serverList('https://document.example/v1', 'https://second.example');
  const pathItem = serverList('https://path.example');
  const operation = serverList('https://operation.example');
  const settings = { baseUrl: 'https://setting.example/base' };

  test.each<[string, JsonObject, DocumentOptions, string]>([
    ['its own', operation, { root, pathItem }, 'https://operation.example/pets'],
    ['those of its path', {}, { root, pathItem }, 'https://path.example/pets'],
    ['those of the document', {}, { root }, 'https://document.example/v1/pets'],
    ['those of the path if its own list is empty', { servers: [] }, { root, pathItem }, 'https://path.example/pets'],
    ['`/` if there are none', {}, {}, '/pets'],
    ['the base URL instead of the document’s', {}, { root, settings }, 'https://setting.example/base/pets'],
    ['those of the path, despite a base URL', {}, { root, pathItem, settings }, 'https://path.example/pets'],
    ['its own, resolved with a base URL', serverList('/own/'), { root, settings }, 'https://setting.example/own/pets'],
    ['its own, despite a base URL', operation, { root, settings }, 'https://operation.example/pets'],
    [
      'the next one if one is no object',
      { servers: [null, 'x', { url: 'https://a.example' }] },
      {},
      'https://a.example/pets',
    ],
  ])('are %s', (_, operation, options, url) => {
    expect(addressOf(operation, options).url).toBe(url);
  });

  test.each([
    ['https://user:secret@a.example', 'https://a.example'],
    ['https://user:se@cret@a.example/v1', 'https://a.example/v1'],
    ['//user@a.example', '//a.example'],
  ])('%s is shown without its user as %s', (url, expected) => {
    expect(describeOperation(serverList(url), {}).servers.map((server) => server.url)).toEqual([expected]);
  });
  test('are all listed, the one that applies first', () => {
    expect(describeOperation({}, { root }).servers.map(({ url }) => url)).toEqual([
      'https://document.example/v1',
      'https://second.example',
    ]);
  });
});

test.each(['/a', 'a', './a/', '../a', '../../a', '/a/../b?x=1', 'https://b.example/a', '/'])(
  'the URL %j is resolved as browsers do',
  (url) => {
    for (const base of [
      'https://a.example',
      'https://a.example/',
      'http://a.example:8080/v1',
      'https://a.example/v1/x/',
    ])
      expect(resolveUrl(url, base)).toBe(new URL(url, base).href);
  },
);

test('a value of a variable that the document does not list is mentioned', () => {
  const variables = { region: { default: 'eu', enum: ['eu', 'us'] } };
  const operation = withVariables('https://{region}.example', variables);
  const warningsFor = (region: string) => addressOf(operation, { settings: { serverVariables: { region } } }).warnings;
  expect(warningsFor('us')).toEqual([]);
  expect(warningsFor('asia')).toEqual(['The value asia of the server variable region is not one of eu, us.']);
});

describe('the variables of a server', () => {
  const variables = {
    region: { default: 'eu', enum: ['eu', 'us'], description: 'Where' },
    port: { default: 8443 },
    unused: { default: 'x' },
  };
  const url = 'https://{region}.example:{port}/{base}';

  test('have the value of the setting, else the default, else none', () => {
    const { servers, address } = describeOperation(
      {},
      { root: withVariables(url, variables), settings: { serverVariables: { region: 'us' } } },
    );
    expect(servers[0]).toEqual({
      url: 'https://us.example:8443/{base}',
      description: null,
      variables: [
        { name: 'region', value: 'us', default: 'eu', enum: ['eu', 'us'], description: 'Where' },
        { name: 'port', value: '8443', default: '8443', enum: null, description: null },
        { name: 'base', value: null, default: null, enum: null, description: null },
      ],
    });
    expect(address.warnings).toEqual([expect.stringContaining('{base}')]);
  });
  test('of a host that has no value are reported', () => {
    expect(addressOf({}, { root: withVariables('https://{tenant}.example') })).toEqual({
      url: 'https://{tenant}.example/pets',
      isCallable: true,
      warnings: [expect.stringContaining('{tenant}')],
    });
  });
  test('are inserted as they are: a value is no pattern, and its braces are no variable', () => {
    const values = { a: '$&{b}', b: 'c' };
    expect(
      addressOf({}, { root: withVariables('https://x.example/{a}'), settings: { serverVariables: values } }).url,
    ).toBe('https://x.example/$&{b}/pets');
  });
  test('can be named like a member of all objects', () => {
    const url = 'https://x.example/{toString}/{__proto__}';
    expect(addressOf({}, { root: withVariables(url, {}) }).url).toBe(`${url}/pets`);
  });
});

describe('the URL of an operation', () => {
  test.each([
    ['https://a.example', '/b', 'https://a.example/b'],
    ['https://a.example/v1/', '/b/', 'https://a.example/v1/b/'],
    ['//a.example/v1', '/b', 'https://a.example/v1/b'],
    ['/v1', '/b', '/v1/b'],
    ['v1', '/b', 'v1/b'],
    ['https://a.example/v1?key=1', '/b', 'https://a.example/v1/b?key=1'],
    ['https://a.example/v1?', '/b', 'https://a.example/v1/b'],
    ['https://a.example', '/b?action=list', 'https://a.example/b?action=list'],
    ['https://a.example?key=1', '/b?action=list', 'https://a.example/b?key=1&action=list'],
    ['https://a.example/#/docs', '/b', 'https://a.example/b'],
    ['https://a.example', '/b#list', 'https://a.example/b'],
    ['https://a.example', '/b?x=1#list', 'https://a.example/b?x=1'],
    ['https://a.example', '/b#list?x=1', 'https://a.example/b'],
    ['https://a.example/@me', '/b', 'https://a.example/@me/b'],
  ])('of the server %s and the path %s is %s', (server, path, url) => {
    expect(joinUrl(server, path).url).toBe(url);
  });

  test.each([
    ['https://a.example', '/b#list', true, 'fragment #list'],
    ['/v1', '/b', false, 'names no host'],
    ['https:///v1', '/b', false, 'names no host'],
    ['wss://a.example', '/b', false, 'wss is not HTTP'],
    ['https://.a.example', '/b', false, 'host .a.example'],
    ['https://../../a.example', '/b', false, 'host ..'],
    ['https://a.example:port', '/b', false, 'host a.example:port'],
    ['https://[::1]:8080/v1', '/b', true, undefined],
    ['https://localhost', '/b', true, undefined],
    ['https://b\u00fccher.example.', '/b', true, undefined],
    ['HTTPS://a.example', '/b', true, undefined],
    ['https://a.example', '/{id}', true, undefined],
  ])('of the server %s and the path %s can be called (%s); a warning says: %s', (server, path, isCallable, warning) => {
    const result = joinUrl(server, path);
    expect(result.isCallable).toBe(isCallable);
    expect(result.warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
