import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { valueAt } from './document-value.ts';

const none = { type: 'none', name: null, in: null };

const bearer = { type: 'bearer', name: 'Authorization', in: null };

const basic = { type: 'basic', name: 'Authorization', in: null };

const key = (name: string, place: string) => ({ type: 'apiKey', name, in: place });

/** Returns the first name as parsed, which is correct for documents without names that look like numbers. */
const asParsed = (document: Json) => (path: readonly (string | number)[]) =>
  Object.keys(valueAt(document, path) ?? {})[0];

const withSchemes = (securitySchemes: Json, security?: Json): Json => ({
  components: { securitySchemes },
  ...(security === undefined ? {} : { security }),
});

const only = (scheme: Json): Json => withSchemes({ only: scheme });

test.each<[string, Json, object]>([
  [
    'an API key is named by its parameter',
    only({ type: 'apiKey', name: 'X-Key', in: 'header' }),
    key('X-Key', 'header'),
  ],
  ['an API key may be sent in the query', only({ type: 'apiKey', name: 'key', in: 'query' }), key('key', 'query')],
  ['an API key may be sent in a cookie', only({ type: 'apiKey', name: 'sid', in: 'cookie' }), key('sid', 'cookie')],
  ['http bearer is bearer', only({ type: 'http', scheme: 'bearer' }), bearer],
  ['schemes are compared ignoring case', only({ type: 'http', scheme: 'Bearer' }), bearer],
  ['http basic is basic', only({ type: 'http', scheme: 'BASIC' }), basic],
  ['oauth2 is bearer', only({ type: 'oauth2', flows: {} }), bearer],
  ['openIdConnect is bearer', only({ type: 'openIdConnect', openIdConnectUrl: 'https://a.example' }), bearer],
  ['another http scheme is none', only({ type: 'http', scheme: 'digest' }), none],
  ['mutualTLS is none', only({ type: 'mutualTLS' }), none],
  ['a scheme without a type is none', only({ name: 'X-Key', in: 'header' }), none],
  ['an API key without a name is none', only({ type: 'apiKey', in: 'header' }), none],
  ['whitespace around a name is trimmed', only({ type: 'apiKey', name: ' k\n', in: 'query' }), key('k', 'query')],
  ['an API key in an unknown location is none', only({ type: 'apiKey', name: 'k', in: 'body' }), none],
  ['a scheme that is not an object is none', only('bearer'), none],
  ['missing schemes are none', {}, none],
  ['a document that is not an object is none', null, none],
  ['schemes that are not an object are none', { components: { securitySchemes: [] } }, none],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: expected });
});

const two = { first: { type: 'http', scheme: 'basic' }, second: { type: 'apiKey', name: 'k', in: 'query' } };

test.each<[string, Json, object]>([
  ['without security the first scheme is used', withSchemes(two), basic],
  ['the first requirement names the scheme', withSchemes(two, [{ second: [] }, { first: [] }]), key('k', 'query')],
  [
    'the first of several schemes in one requirement is used',
    withSchemes(two, [{ second: [], first: [] }]),
    key('k', 'query'),
  ],
  ['an empty security is none', withSchemes(two, []), none],
  ['a first requirement without schemes is none', withSchemes(two, [{}, { first: [] }]), none],
  ['a requirement of an undeclared scheme is none', withSchemes(two, [{ third: [] }]), none],
  ['a requirement named as an inherited property is none', withSchemes(two, [{ toString: [] }]), none],
  ['a requirement that is not an object is none', withSchemes(two, ['first']), none],
  ['security that is not an array counts as absent', withSchemes(two, null), basic],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: expected });
});

const reference = ($ref: Json, more: { [name: string]: Json } = {}): Json =>
  withSchemes({ a: { $ref }, 'b/c d': { type: 'http', scheme: 'basic' }, ...more }, [{ a: [] }]);

test.each<[string, Json, object]>([
  ['a local reference is followed', reference('#/components/securitySchemes/b~1c%20d'), basic],
  [
    'a reference to a reference is followed',
    reference('#/components/securitySchemes/n', { n: { $ref: '#/components/securitySchemes/b~1c%20d' } }),
    basic,
  ],
  ['a circular reference is none', reference('#/components/securitySchemes/a'), none],
  ['a dangling reference is none', reference('#/components/securitySchemes/gone'), none],
  ['an external reference is none', reference('https://a.example/schemes.json#/basic'), none],
  ['a reference with a stray percent sign is none', reference('#/components/securitySchemes/%'), none],
  ['an inherited property is not a target', reference('#/components/toString'), none],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: expected });
});

const rejected = (path: readonly (string | number)[], because: RegExp) => ({
  value: none,
  violation: { path, message: expect.stringMatching(because) as string },
});

const keyNamed = (name: string): Json => only({ type: 'apiKey', name, in: 'header' });

const place = ['components', 'securitySchemes', 'only', 'name'];

const tooLong = rejected(place, /at most 200 characters/);

const noLine = rejected(place, /one line without control characters/);

test.each<[string, Json, object]>([
  ['a name of 200 characters names a key', keyNamed('🔑'.repeat(200)), { value: key('🔑'.repeat(200), 'header') }],
  ['a name of 201 characters is rejected', keyNamed('🔑'.repeat(201)), tooLong],
  ['a name of ten million characters is rejected', keyNamed('k'.repeat(10_000_000)), tooLong],
  ['a name with U+0000 is rejected', keyNamed('k\u0000'), noLine],
  ['a name with a lone surrogate is rejected', keyNamed('\ud800'), noLine],
  ['a name with a line break is rejected', keyNamed('X-A\r\nX-Evil: 1'), noLine],
  ['a name with a bidirectional control is rejected', keyNamed('X-\u202eA'), noLine],
  [
    'the warning points at the scheme that a reference leads to',
    withSchemes({
      a: { $ref: '#/components/securitySchemes/b' },
      b: { type: 'apiKey', name: '\n\u0007', in: 'query' },
    }),
    rejected(['components', 'securitySchemes', 'b', 'name'], /one line/),
  ],
])('%s', (_sentence, document, fact) => {
  expect(authenticationOf(document, asParsed(document))).toEqual(fact);
});

test('a reference with a large number of steps leads nowhere', () => {
  const document = reference(`#${'/x'.repeat(1_000_000)}`);
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: none });
});

test('the first name is looked up in the text only if one looks like a number', () => {
  const lookups: unknown[] = [];
  const zz = (path: unknown) => (lookups.push(path), 'zz');
  const schemes = { zz: { type: 'http', scheme: 'bearer' }, 1: { type: 'http', scheme: 'basic' } };
  expect(authenticationOf(withSchemes(two), zz)).toEqual({ value: basic });
  expect(authenticationOf(withSchemes(schemes), zz)).toEqual({ value: bearer });
  expect(authenticationOf(withSchemes(schemes, [{ zz: [], 1: [] }]), zz)).toEqual({ value: bearer });
  expect(lookups).toEqual([
    ['components', 'securitySchemes'],
    ['security', 0],
  ]);
});
