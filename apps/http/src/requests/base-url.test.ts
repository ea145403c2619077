import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { HttpSettings } from '../settings.ts';
import { createBaseUrlReader } from './base-url.ts';

const request = (headers: Readonly<Record<string, string>>, remoteAddress = '10.0.0.1') =>
  ({ headers, socket: { remoteAddress, localPort: 3_000 } }) as unknown as IncomingMessage;

const read = (settings: Partial<HttpSettings>, headers: Readonly<Record<string, string>>, remoteAddress?: string) =>
  createBaseUrlReader({ publicUrl: null, trustProxy: null, ...settings })(request(headers, remoteAddress));

test('the base URL has the requested host, or localhost if the host is invalid', () => {
  expect(read({}, { host: 'portico.example.com:3000' })).toBe('http://portico.example.com:3000');
  expect(read({}, { host: '[::1]:3000' })).toBe('http://[::1]:3000');
  for (const host of ['', 'a/b', 'a@b', 'a b', 'a?b']) expect(read({}, { host })).toBe('http://localhost:3000');
});

test.each([
  [null, '10.0.0.1', 'http'],
  [1, '10.0.0.1', 'https'],
  [['10.0.0.0/8'], '10.0.0.1', 'https'],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', 'https'],
  [['10.0.0.0/8'], '192.0.2.1', 'http'],
] as const)(
  'with the trusted proxies %j, the base URL for a caller from %s has the scheme %s',
  (trustProxy, address, scheme) => {
    const headers = { host: 'portico.example.com', 'x-forwarded-proto': 'https' };
    expect(read({ trustProxy }, headers, address)).toBe(`${scheme}://portico.example.com`);
  },
);

test('a proxy that sends no scheme, or a different one, changes nothing', () => {
  for (const scheme of ['', 'http', 'javascript', 'https,http'])
    expect(read({ trustProxy: 1 }, { host: 'a.example', 'x-forwarded-proto': scheme })).toBe('http://a.example');
});

test('a configured public address overrides all headers', () => {
  const headers = { host: 'evil.example.com', 'x-forwarded-proto': 'http' };
  for (const publicUrl of ['https://portico.example.com', 'https://portico.example.com/below'])
    expect(read({ publicUrl, trustProxy: 1 }, headers)).toBe('https://portico.example.com');
});
