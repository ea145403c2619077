import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { valueAt } from './document-value.ts';

const none = { type: 'none', name: null, in: null };

const bearer = { type: 'bearer', name: 'Authorization', in: null };

const basic = { type: 'basic', name: 'Authorization', in: null };

const key = (name: string, place: string) => ({ type: 'apiKey', name, in: place });

/** The first name as parsed, which is right for documents without names that look like numbers. */
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
  ['an API key may travel in the query', only({ type: 'apiKey', name: 'key', in: 'query' }), key('key', 'query')],
  ['an API key may travel in a cookie', only({ type: 'apiKey', name: 'sid', in: 'cookie' }), key('sid', 'cookie')],
  ['http bearer is bearer', only({ type: 'http', scheme: 'bearer' }), bearer],
  ['schemes are compared without regard to case', only({ type: 'http', scheme: 'Bearer' }), bearer],
  ['http basic is basic', only({ type: 'http', scheme: 'BASIC' }), basic],
  ['oauth2 is bearer', only({ type: 'oauth2', flows: {} }), bearer],
  ['openIdConnect is bearer', only({ type: 'openIdConnect', openIdConnectUrl: 'https://a.example' }), bearer],
  ['another http scheme is none', only({ type: 'http', scheme: 'digest' }), none],
  ['mutualTLS is none', only({ type: 'mutualTLS' }), none],
  ['a scheme without a type is none', only({ name: 'X-Key', in: 'header' }), none],
  ['an API key without a name is none', only({ type: 'apiKey', in: 'header' }), none],
  ['blanks around a name are trimmed', only({ type: 'apiKey', name: ' k\n', in: 'query' }), key('k', 'query')],
  ['an API key in no known place is none', only({ type: 'apiKey', name: 'k', in: 'body' }), none],
  ['a scheme that is no object is none', only('bearer'), none],
  ['no schemes are none', {}, none],
  ['a document that is no object is none', null, none],
  ['schemes that are no object are none', { components: { securitySchemes: [] } }, none],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: expected });
});

const two = { first: { type: 'http', scheme: 'basic' }, second: { type: 'apiKey', name: 'k', in: 'query' } };

test.each<[string, Json, object]>([
  ['without security the first scheme counts', withSchemes(two), basic],
  ['the first requirement names the scheme', withSchemes(two, [{ second: [] }, { first: [] }]), key('k', 'query')],
  [
    'of several schemes in one requirement the first counts',
    withSchemes(two, [{ second: [], first: [] }]),
    key('k', 'query'),
  ],
  ['an empty security is none', withSchemes(two, []), none],
  ['a first requirement that asks nothing is none', withSchemes(two, [{}, { first: [] }]), none],
  ['a requirement of an undeclared scheme is none', withSchemes(two, [{ third: [] }]), none],
  ['a requirement named as an inherited property is none', withSchemes(two, [{ toString: [] }]), none],
  ['a requirement that is no object is none', withSchemes(two, ['first']), none],
  ['security that is no list counts as absent', withSchemes(two, null), basic],
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
  ['an inherited property is no target', reference('#/components/toString'), none],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: expected });
});

const withheld = (path: readonly (string | number)[], because: RegExp) => ({
  value: none,
  violation: { path, message: expect.stringMatching(because) as string },
});

const named = (name: string): Json => only({ type: 'apiKey', name, in: 'header' });

const place = ['components', 'securitySchemes', 'only', 'name'];

const tooLong = withheld(place, /at most 200 characters/);

const noLine = withheld(place, /one line without control characters/);

test.each<[string, Json, object]>([
  ['a name of 200 characters names a key', named('🔑'.repeat(200)), { value: key('🔑'.repeat(200), 'header') }],
  ['a name of 201 characters names none', named('🔑'.repeat(201)), tooLong],
  ['a name of ten million characters names none', named('k'.repeat(10_000_000)), tooLong],
  ['a name with U+0000 names none', named('k\u0000'), noLine],
  ['a name with a lone surrogate names none', named('\ud800'), noLine],
  ['a name with a line break names none', named('X-A\r\nX-Evil: 1'), noLine],
  ['a name with a bidirectional control names none', named('X-\u202eA'), noLine],
  [
    'the warning points at the scheme that a reference names',
    withSchemes({
      a: { $ref: '#/components/securitySchemes/b' },
      b: { type: 'apiKey', name: '\n\u0007', in: 'query' },
    }),
    withheld(['components', 'securitySchemes', 'b', 'name'], /one line/),
  ],
])('%s', (_sentence, document, fact) => {
  expect(authenticationOf(document, asParsed(document))).toEqual(fact);
});

test('a reference of very many steps names nothing', () => {
  const document = reference(`#${'/x'.repeat(1_000_000)}`);
  expect(authenticationOf(document, asParsed(document))).toEqual({ value: none });
});

test('the text is asked for the first name only if one looks like a number', () => {
  const asked: unknown[] = [];
  const zz = (path: unknown) => (asked.push(path), 'zz');
  const schemes = { zz: { type: 'http', scheme: 'bearer' }, 1: { type: 'http', scheme: 'basic' } };
  expect(authenticationOf(withSchemes(two), zz)).toEqual({ value: basic });
  expect(authenticationOf(withSchemes(schemes), zz)).toEqual({ value: bearer });
  expect(authenticationOf(withSchemes(schemes, [{ zz: [], 1: [] }]), zz)).toEqual({ value: bearer });
  expect(asked).toEqual([
    ['components', 'securitySchemes'],
    ['security', 0],
  ]);
});
