import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { baseUrlOf } from './document-base-url.ts';

const server = (url: Json, variables?: Json): Json => ({
  servers: [variables === undefined ? { url } : { url, variables }],
});

test.each<[string, Json, string]>([
  [
    'the first server is used',
    { servers: [{ url: 'https://a.example' }, { url: 'https://b.example' }] },
    'https://a.example',
  ],
  ['a relative URL is kept', server('/v1'), '/v1'],
  ['missing servers result in the root', {}, '/'],
  ['an empty list of servers results in the root', { servers: [] }, '/'],
  ['an empty URL results in the root', server(''), '/'],
  ['a blank URL results in the root', server('  '), '/'],
  ['servers that are not an array result in the root', { servers: { url: 'https://a.example' } }, '/'],
  ['a server that is not an object results in the root', { servers: ['https://a.example'] }, '/'],
  ['a URL that is not a string results in the root', server(7), '/'],
  ['a document that is not an object results in the root', null, '/'],
  ['text that is not a URL is not changed', server('Your API URL'), 'Your API URL'],
  [
    'variables are replaced by their defaults',
    server('https://{host}.example:{port}/{host}', { host: { default: 'a' }, port: { default: 8080 } }),
    'https://a.example:8080/a',
  ],
  [
    'an empty default counts as a default',
    server('https://a.example/{base}', { base: { default: '' } }),
    'https://a.example/',
  ],
  ['a URL of only empty defaults results in the root', server('{base}', { base: { default: '' } }), '/'],
  ['an undeclared variable is not replaced', server('https://{host}.example', {}), 'https://{host}.example'],
  ['a variable without a default is not replaced', server('https://{h}.example', { h: {} }), 'https://{h}.example'],
  ['a variable named like an inherited property is undeclared', server('/{toString}', {}), '/{toString}'],
  ['whitespace around a URL is trimmed', server('\n https://a.example\t\n'), 'https://a.example'],
  ['unmatched braces are kept', server('/}{a{b}}{', { b: { default: 'c' }, 'a{b': { default: 'd' } }), '/}{ac}{'],
  ['a default is taken literally', server('/{a}', { a: { default: '{b}$&' }, b: { default: 'c' } }), '/{b}$&'],
])('%s', (_sentence, document, url) => {
  expect(baseUrlOf(document)).toEqual({ value: url });
});

const rejectedUrl = (pattern: RegExp) => ({
  value: '/',
  violation: { path: ['servers', 0, 'url'], message: expect.stringMatching(pattern) as string },
});

const tooLong = rejectedUrl(/at most 2048 characters/);

const notOneLine = rejectedUrl(/one line without control characters/);

const longUrl = 'https://a.example/'.padEnd(2_048, 'x');

test.each<[string, Json, object]>([
  ['2,048 characters are accepted', server(longUrl), { value: longUrl }],
  ['2,049 characters are too many', server(`${longUrl}x`), tooLong],
  [
    'the length is counted in characters, not in UTF-16 units',
    server('🐈'.repeat(2_048)),
    { value: '🐈'.repeat(2_048) },
  ],
  ['2,049 characters of two units each are too many', server('🐈'.repeat(2_049)), tooLong],
  [
    'the length is counted after variables are replaced',
    server(`${'{empty}'.repeat(10_000)}{long}`, { empty: { default: '' }, long: { default: longUrl } }),
    { value: longUrl },
  ],
  ['a single default can be too long', server('{long}', { long: { default: `${longUrl}x` } }), tooLong],
  ['a URL with U+0000 is rejected', server('https://a.example/\u0000'), notOneLine],
  ['a URL with a lone surrogate is rejected', server('https://a.example/\ud800'), notOneLine],
  ['a URL with a line break is rejected', server('https://a.example/\r\nX-Evil: 1'), notOneLine],
  ['a URL with a line separator is rejected', server('https://a.example/\u2028x'), notOneLine],
  ['a URL with a bidirectional control is rejected', server('https://a.example/\u202egro.live'), notOneLine],
  [
    'a URL with a control character in a default is rejected',
    server('https://a.example/{b}', { b: { default: '\u0000x' } }),
    notOneLine,
  ],
])('%s', (_sentence, document, expected) => {
  expect(baseUrlOf(document)).toEqual(expected);
});

test('a long default repeated many times is never expanded', () => {
  // Expanded, it would take 400 GB; no string can exceed half a gigabyte.
  const document = server('{a}'.repeat(1_000_000), { a: { default: 'x'.repeat(400_000) } });
  expect(baseUrlOf(document)).toEqual(tooLong);
});

test.each([
  ['braces that open', '{'],
  ['braces that close', '}'],
  ['braces', '{}'],
  ['one brace and a name', 'x'],
])('ten million characters of %s are scanned once', (_description, part) => {
  expect(baseUrlOf(server(`{${part.repeat(10_000_000 / part.length)}`))).toEqual(tooLong);
});
