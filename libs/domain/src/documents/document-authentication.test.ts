import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { authenticationOf, readSecuritySchemes } from './document-authentication.ts';
import { valueAt } from './document-value.ts';

const noAuthentication = { type: 'none', name: null, in: null };

const bearer = { type: 'bearer', name: 'Authorization', in: null };

const basic = { type: 'basic', name: 'Authorization', in: null };

const apiKeyScheme = (name: string, location: string) => ({ type: 'apiKey', name, in: location });

/** Returns the first name as parsed, which is correct for documents without names that look like numbers. */
const createNameFinder = (document: Json) => (path: readonly (string | number)[]) =>
  Object.keys(valueAt(document, path) ?? {})[0];

const createDocumentWithSchemes = (securitySchemes: Json, security?: Json): Json => ({
  components: { securitySchemes },
  ...(security === undefined ? {} : { security }),
});

const onlyScheme = (scheme: Json): Json => createDocumentWithSchemes({ onlyScheme: scheme });

test.each<[string, Json, object]>([
  [
    'an API key is named by its parameter',
    onlyScheme({ type: 'apiKey', name: 'X-Key', in: 'header' }),
    apiKeyScheme('X-Key', 'header'),
  ],
  [
    'an API key may be sent in the query',
    onlyScheme({ type: 'apiKey', name: 'key', in: 'query' }),
    apiKeyScheme('key', 'query'),
  ],
  [
    'an API key may be sent in a cookie',
    onlyScheme({ type: 'apiKey', name: 'sid', in: 'cookie' }),
    apiKeyScheme('sid', 'cookie'),
  ],
  ['http bearer is bearer', onlyScheme({ type: 'http', scheme: 'bearer' }), bearer],
  ['schemes are compared ignoring case', onlyScheme({ type: 'http', scheme: 'Bearer' }), bearer],
  ['http basic is basic', onlyScheme({ type: 'http', scheme: 'BASIC' }), basic],
  ['oauth2 is bearer', onlyScheme({ type: 'oauth2', flows: {} }), bearer],
  ['openIdConnect is bearer', onlyScheme({ type: 'openIdConnect', openIdConnectUrl: 'https://a.example' }), bearer],
  ['any other http scheme is none', onlyScheme({ type: 'http', scheme: 'digest' }), noAuthentication],
  ['mutualTLS is none', onlyScheme({ type: 'mutualTLS' }), noAuthentication],
  ['a scheme without a type is none', onlyScheme({ name: 'X-Key', in: 'header' }), noAuthentication],
  ['an API key without a name is none', onlyScheme({ type: 'apiKey', in: 'header' }), noAuthentication],
  [
    'whitespace around a name is trimmed',
    onlyScheme({ type: 'apiKey', name: ' k\n', in: 'query' }),
    apiKeyScheme('k', 'query'),
  ],
  [
    'an API key in an unknown location is none',
    onlyScheme({ type: 'apiKey', name: 'k', in: 'body' }),
    noAuthentication,
  ],
  ['a scheme that is not an object is none', onlyScheme('bearer'), noAuthentication],
  ['missing schemes are none', {}, noAuthentication],
  ['a document that is not an object is none', null, noAuthentication],
  ['schemes that are not an object are none', { components: { securitySchemes: [] } }, noAuthentication],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, createNameFinder(document))).toEqual({ value: expected });
});

const twoSchemes = { first: { type: 'http', scheme: 'basic' }, second: { type: 'apiKey', name: 'k', in: 'query' } };

test.each<[string, Json, object]>([
  ['without security the first scheme is used', createDocumentWithSchemes(twoSchemes), basic],
  [
    'the first requirement names the scheme',
    createDocumentWithSchemes(twoSchemes, [{ second: [] }, { first: [] }]),
    apiKeyScheme('k', 'query'),
  ],
  [
    'the first of several schemes in one requirement is used',
    createDocumentWithSchemes(twoSchemes, [{ second: [], first: [] }]),
    apiKeyScheme('k', 'query'),
  ],
  ['an empty security is none', createDocumentWithSchemes(twoSchemes, []), noAuthentication],
  [
    'a first requirement without schemes is none',
    createDocumentWithSchemes(twoSchemes, [{}, { first: [] }]),
    noAuthentication,
  ],
  [
    'a requirement of an undeclared scheme is none',
    createDocumentWithSchemes(twoSchemes, [{ third: [] }]),
    noAuthentication,
  ],
  [
    'a requirement named like an inherited property is none',
    createDocumentWithSchemes(twoSchemes, [{ toString: [] }]),
    noAuthentication,
  ],
  ['a requirement that is not an object is none', createDocumentWithSchemes(twoSchemes, ['first']), noAuthentication],
  ['security that is not an array counts as absent', createDocumentWithSchemes(twoSchemes, null), basic],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, createNameFinder(document))).toEqual({ value: expected });
});

const createReferenceDocument = ($ref: Json, otherSchemes: { [name: string]: Json } = {}): Json =>
  createDocumentWithSchemes({ a: { $ref }, 'b/c d': { type: 'http', scheme: 'basic' }, ...otherSchemes }, [{ a: [] }]);

test.each<[string, Json, object]>([
  ['a local reference is followed', createReferenceDocument('#/components/securitySchemes/b~1c%20d'), basic],
  [
    'a reference to a reference is followed',
    createReferenceDocument('#/components/securitySchemes/n', { n: { $ref: '#/components/securitySchemes/b~1c%20d' } }),
    basic,
  ],
  ['a circular reference is none', createReferenceDocument('#/components/securitySchemes/a'), noAuthentication],
  ['a dangling reference is none', createReferenceDocument('#/components/securitySchemes/gone'), noAuthentication],
  ['an external reference is none', createReferenceDocument('https://a.example/schemes.json#/basic'), noAuthentication],
  [
    'a reference with a stray percent sign is none',
    createReferenceDocument('#/components/securitySchemes/%'),
    noAuthentication,
  ],
  ['an inherited property is not a target', createReferenceDocument('#/components/toString'), noAuthentication],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, createNameFinder(document))).toEqual({ value: expected });
});

const rejectedName = (path: readonly (string | number)[], pattern: RegExp) => ({
  value: noAuthentication,
  violation: { path, message: expect.stringMatching(pattern) as string },
});

const createApiKeyDocument = (name: string): Json => onlyScheme({ type: 'apiKey', name, in: 'header' });

const namePath = ['components', 'securitySchemes', 'onlyScheme', 'name'];

const overlongName = rejectedName(namePath, /at most 200 characters/);

const multilineName = rejectedName(namePath, /one line without control characters/);

test.each<[string, Json, object]>([
  [
    'a name of 200 characters names a key',
    createApiKeyDocument('🔑'.repeat(200)),
    { value: apiKeyScheme('🔑'.repeat(200), 'header') },
  ],
  ['a name of 201 characters is rejected', createApiKeyDocument('🔑'.repeat(201)), overlongName],
  ['a name of ten million characters is rejected', createApiKeyDocument('k'.repeat(10_000_000)), overlongName],
  ['a name with U+0000 is rejected', createApiKeyDocument('k\u0000'), multilineName],
  ['a name with a lone surrogate is rejected', createApiKeyDocument('\ud800'), multilineName],
  ['a name with a line break is rejected', createApiKeyDocument('X-A\r\nX-Evil: 1'), multilineName],
  ['a name with a bidirectional control is rejected', createApiKeyDocument('X-\u202eA'), multilineName],
  [
    'the warning points to the scheme that a reference resolves to',
    createDocumentWithSchemes({
      a: { $ref: '#/components/securitySchemes/b' },
      b: { type: 'apiKey', name: '\n\u0007', in: 'query' },
    }),
    rejectedName(['components', 'securitySchemes', 'b', 'name'], /one line/),
  ],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, createNameFinder(document))).toEqual(expected);
});

test('a reference with too many steps is not resolved', () => {
  const document = createReferenceDocument(`#${'/x'.repeat(1_000_000)}`);
  expect(authenticationOf(document, createNameFinder(document))).toEqual({ value: noAuthentication });
});

test('the first name is looked up in the text only if one looks like a number', () => {
  const lookups: unknown[] = [];
  const lookUpFirst = (path: unknown) => (lookups.push(path), 'zz');
  const schemes = { zz: { type: 'http', scheme: 'bearer' }, 1: { type: 'http', scheme: 'basic' } };
  expect(authenticationOf(createDocumentWithSchemes(twoSchemes), lookUpFirst)).toEqual({ value: basic });
  expect(authenticationOf(createDocumentWithSchemes(schemes), lookUpFirst)).toEqual({ value: bearer });
  expect(authenticationOf(createDocumentWithSchemes(schemes, [{ zz: [], 1: [] }]), lookUpFirst)).toEqual({
    value: bearer,
  });
  expect(lookups).toEqual([
    ['components', 'securitySchemes'],
    ['security', 0],
  ]);
});

const readSchemesOf = (document: Json) => readSecuritySchemes(document, createNameFinder(document));

test("the security schemes are in the document's order, after the one that calls use by default", () => {
  const schemes = {
    a: { type: 'mutualTLS' },
    b: { type: 'http', scheme: 'Digest' },
    c: { $ref: '#/components/securitySchemes/d' },
    d: { type: 'apiKey', name: 'X-Key', in: 'header' },
    e: { type: 'http', scheme: 'bearer' },
    f: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' },
    g: { type: 'apiKey', name: 'X-Key', in: 'body' },
    h: 7,
  };
  const document = createDocumentWithSchemes(schemes, [{ d: [] }]);
  expect(readSchemesOf(document).map(({ name, type }) => `${name} ${type}`)).toEqual([
    'd apiKey',
    'a mutualTLS',
    'b http',
    'c apiKey',
    'e bearer',
    'f openIdConnect',
    'g unknown',
    'h unknown',
  ]);
  expect(readSchemesOf(document)[0]?.authentication).toEqual(apiKeyScheme('X-Key', 'header'));
});

test('the first security scheme has the authentication of the collection', () => {
  const schemes = { login: { type: 'http', scheme: 'basic' }, token: { type: 'oauth2', flows: {} } };
  for (const security of [undefined, [{ token: [] }], [{ missing: [] }], []]) {
    const document = createDocumentWithSchemes(schemes, security);
    const { value } = authenticationOf(document, createNameFinder(document));
    if (value.type !== 'none') expect(readSchemesOf(document)[0]?.authentication).toEqual(value);
  }
});

test('unusable names and schemes beyond the first 100 are left out; a document without schemes has none', () => {
  const scheme = { type: 'oauth2', flows: {} };
  const names = ['', ' ', 'a\nb', 'x'.repeat(201), 'y'.repeat(200), '😀'.repeat(200)];
  const schemes = Object.fromEntries(names.map((name) => [name, scheme]));
  expect(readSchemesOf(createDocumentWithSchemes(schemes)).map(({ name }) => name)).toEqual(names.slice(4));
  const manySchemes = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`s${index}`, scheme]));
  expect(readSchemesOf(createDocumentWithSchemes(manySchemes)).map(({ name }) => name)).toEqual(
    Object.keys(manySchemes).slice(0, 100),
  );
  for (const document of [{}, { components: 7 }, createDocumentWithSchemes([scheme])])
    expect(readSchemesOf(document)).toEqual([]);
});
