import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { baseUrlOf } from './document-base-url.ts';

const server = (url: Json, variables?: Json): Json => ({
  servers: [variables === undefined ? { url } : { url, variables }],
});

test.each<[string, Json, string]>([
  [
    'the first server counts',
    { servers: [{ url: 'https://a.example' }, { url: 'https://b.example' }] },
    'https://a.example',
  ],
  ['a relative address stays relative', server('/v1'), '/v1'],
  ['no servers give the root', {}, '/'],
  ['an empty list of servers gives the root', { servers: [] }, '/'],
  ['an empty address gives the root', server(''), '/'],
  ['an address of blanks gives the root', server('  '), '/'],
  ['servers that are no list give the root', { servers: { url: 'https://a.example' } }, '/'],
  ['a server that is no object gives the root', { servers: ['https://a.example'] }, '/'],
  ['an address that is no string gives the root', server(7), '/'],
  ['a document that is no object gives the root', null, '/'],
  ['text that is no address is left as it is', server('Your API URL'), 'Your API URL'],
  ['an address with U+0000 gives the root', server('https://a.example/\u0000'), '/'],
  ['an address with a lone surrogate gives the root', server('https://a.example/\ud800'), '/'],
  [
    'an address whose default has U+0000 gives the root',
    server('https://a.example/{b}', { b: { default: '\u0000' } }),
    '/',
  ],
  [
    'variables are replaced by their defaults',
    server('https://{host}.example:{port}/{host}', { host: { default: 'a' }, port: { default: 8080 } }),
    'https://a.example:8080/a',
  ],
  [
    'an empty default is a default',
    server('https://a.example/{base}', { base: { default: '' } }),
    'https://a.example/',
  ],
  ['an address of empty defaults alone gives the root', server('{base}', { base: { default: '' } }), '/'],
  ['an undeclared variable stays in its braces', server('https://{host}.example', {}), 'https://{host}.example'],
  ['a variable without a default stays in its braces', server('https://{h}.example', { h: {} }), 'https://{h}.example'],
  ['a variable named as an inherited property is undeclared', server('/{toString}', {}), '/{toString}'],
  ['a default is taken literally', server('/{a}', { a: { default: '{b}$&' }, b: { default: 'c' } }), '/{b}$&'],
])('%s', (_sentence, document, url) => {
  expect(baseUrlOf(document)).toBe(url);
});
