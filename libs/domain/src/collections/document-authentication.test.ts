import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';

const none = { type: 'none', name: null, in: null };
const bearer = { type: 'bearer', name: 'Authorization', in: null };
const basic = { type: 'basic', name: 'Authorization', in: null };
const key = (name: string, place: string) => ({ type: 'apiKey', name, in: place });
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
  ['an API key whose name has U+0000 is none', only({ type: 'apiKey', name: 'k\u0000', in: 'query' }), none],
  ['an API key whose name has a lone surrogate is none', only({ type: 'apiKey', name: '\ud800', in: 'query' }), none],
  ['an API key in no known place is none', only({ type: 'apiKey', name: 'k', in: 'body' }), none],
  ['a scheme that is no object is none', only('bearer'), none],
  ['no schemes are none', {}, none],
  ['a document that is no object is none', null, none],
  ['schemes that are no object are none', { components: { securitySchemes: [] } }, none],
])('%s', (_sentence, document, expected) => {
  expect(authenticationOf(document)).toEqual(expected);
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
  expect(authenticationOf(document)).toEqual(expected);
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
  expect(authenticationOf(document)).toEqual(expected);
});
