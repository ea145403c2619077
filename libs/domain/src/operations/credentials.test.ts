import { describe, expect, test } from 'vitest';
import { describeOperation } from '../../test/describe-operation.ts';
import type { Json, JsonObject } from '../json.ts';
import type { CallSettings } from './call-settings.ts';
import type { Alternatives } from './credentials.ts';

const securitySchemes: JsonObject = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'Ask\nus' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'BASIC' },
  digest: { type: 'http', scheme: 'digest' },
  oauth: {
    type: 'oauth2',
    flows: {
      implicit: { authorizationUrl: 'https://a.example/authorize', scopes: {} },
      authorizationCode: { tokenUrl: 'https://a.example/code', scopes: {} },
      clientCredentials: { tokenUrl: 'https://a.example/token', scopes: {} },
    },
  },
  discovery: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example/.well-known/openid-configuration' },
  tls: { type: 'mutualTLS' },
  reference: { $ref: '#/components/securitySchemes/key' },
  nameless: { type: 'apiKey', in: 'header' },
  injecting: { type: 'apiKey', in: 'header', name: 'X-Key\r\nX-Other' },
  toString: { type: 'apiKey', in: 'header', name: 'X-Text' },
};

interface Options {
  readonly security?: Json;
  readonly rootSecurity?: Json;
  readonly settings?: Partial<CallSettings>;
}

function authenticationOf({ security, rootSecurity, settings = {} }: Options): Alternatives | null {
  const operation = security === undefined ? {} : { security };
  const root = rootSecurity === undefined ? {} : { security: rootSecurity };
  return describeOperation(operation, { components: { securitySchemes }, root, settings }).authentication;
}
const schemesOf = (options: Options) =>
  authenticationOf(options)?.map((credentials) => credentials.map(({ scheme }) => scheme)) ?? null;

test.each<[string, Options, (string | null)[][] | null]>([
  ['that of the operation', { security: [{ key: [] }], rootSecurity: [{ basic: [] }] }, [['key']]],
  ['that of the document, if the operation has none', { rootSecurity: [{ basic: [] }] }, [['basic']]],
  ['none, if the operation says so', { security: [], rootSecurity: [{ basic: [] }] }, []],
  ['unknown, if the document says nothing', {}, null],
  ['optional, if one of the alternatives is empty', { security: [{ key: [] }, {}] }, [['key'], []]],
  ['several credentials that are sent together', { security: [{ key: [], basic: [] }] }, [['key', 'basic']]],
  ['alternatives, in their order', { security: [{ key: [] }, { basic: [] }] }, [['key'], ['basic']]],
  ['that of valid requirements only', { security: [null, 'key', { key: [] }] }, [['key']]],
])('the authentication of an operation is %s', (_, options, schemes) => {
  expect(schemesOf(options)).toEqual(schemes);
});

const authorization = { in: 'header', name: 'Authorization' };

test.each<[string, object]>([
  ['key', { type: 'apiKey', in: 'header', name: 'X-Key', prefix: null, hint: 'the key of Pets: Ask us' }],
  ['query', { type: 'apiKey', in: 'query', name: 'key' }],
  ['cookie', { type: 'apiKey', in: 'cookie', name: 'session' }],
  ['bearer', { type: 'bearer', ...authorization, prefix: 'Bearer ' }],
  ['basic', { type: 'basic', ...authorization, prefix: 'Basic ' }],
  ['digest', { type: 'http', in: null, name: null, hint: 'HTTP authentication with the scheme digest' }],
  ['oauth', { type: 'oauth2', ...authorization, prefix: 'Bearer ', tokenUrl: 'https://a.example/token' }],
  ['oauth', { hint: expect.stringContaining('clientCredentials, authorizationCode, implicit') as string }],
  ['discovery', { type: 'openIdConnect', ...authorization, hint: expect.stringContaining('/.well-known/') as string }],
  ['tls', { type: 'mutualTLS', in: null, hint: 'a client certificate' }],
  ['reference', { type: 'apiKey', in: 'header', name: 'X-Key' }],
  ['nameless', { type: 'other', in: null, name: null }],
  ['injecting', { type: 'other', in: null, name: null }],
  ['undeclared', { type: 'other', in: null, name: null }],
  ['toString', { type: 'apiKey', name: 'X-Text' }],
  ['constructor', { type: 'other', in: null }],
])('the credential of the scheme %s is %j', (scheme, expected) => {
  const [[credential] = []] = authenticationOf({ security: [{ [scheme]: ['read', 1] }] }) ?? [];
  expect(credential).toMatchObject({ scheme, scopes: ['read'], isStored: false, ...expected });
});

describe('a stored credential', () => {
  const security = [{ key: [] }, { basic: [], query: [] }, { basic: [] }];

  test('makes its alternative the first one, if it has all its credentials', () => {
    expect(schemesOf({ security, settings: { storedSchemes: ['basic'] } })).toEqual([
      ['basic'],
      ['key'],
      ['basic', 'query'],
    ]);
    expect(schemesOf({ security, settings: { storedSchemes: ['basic', 'query'] } })?.[0]).toEqual(['basic', 'query']);
  });
  test('is used for a document that says nothing', () => {
    expect(schemesOf({ settings: { storedSchemes: ['key'] } })).toEqual([['key']]);
  });
  test('is not sent where the operation needs none', () => {
    expect(schemesOf({ security: [], settings: { storedSchemes: ['key'] } })).toEqual([]);
  });
  test.each<[string, CallSettings['authentication'], (string | null)[][]]>([
    [
      'the scheme with its type, name and location',
      { type: 'apiKey', in: 'query', name: 'key', isStored: true },
      [['query'], ['key'], ['bearer']],
    ],
    [
      'the first scheme that takes a bearer token',
      { type: 'bearer', in: null, name: null, isStored: true },
      [['bearer'], ['key'], ['query']],
    ],
    [
      'no scheme, and is the only alternative then',
      { type: 'apiKey', in: 'header', name: 'X-Other', isStored: true },
      [[null]],
    ],
    ['no scheme, so that none is needed', { type: 'none', in: null, name: null, isStored: false }, []],
  ])('that an administrator described matches %s', (_, authentication, schemes) => {
    const alternatives = [{ key: [] }, { query: [] }, { bearer: [] }];
    expect(schemesOf({ security: alternatives, settings: { authentication } })).toEqual(schemes);
  });
});

test("a setting that several schemes match belongs to the one that the document's first requirement names", () => {
  const authentication = { type: 'bearer', name: 'Authorization', in: null, isStored: true } as const;
  const alternatives = authenticationOf({
    rootSecurity: [{ oauth: [] }],
    security: [{ bearer: [] }, { oauth: [] }],
    settings: { authentication },
  });
  const views = alternatives?.map(([credential]) => [credential?.scheme, credential?.isStored]);
  expect(views).toEqual([
    ['oauth', true],
    ['bearer', false],
  ]);
});
