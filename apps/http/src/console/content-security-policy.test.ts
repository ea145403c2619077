import { expect, test } from 'vitest';
import { createConsolePolicy } from './content-security-policy.ts';

const directivesOf = (policy: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values];
    }),
  );

test('if there are no issuer origins, the page may connect only to this service', () => {
  expect(createConsolePolicy([])).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
      "frame-ancestors 'none'",
  );
});

test('sign-in origins are allowed only for connections and frames', () => {
  const origins = ['https://id.example.com', 'http://127.0.0.1:9099', 'https://xn--bcher-kva.example:8443'];
  const allowedSources = ["'self'", ...origins];
  expect(directivesOf(createConsolePolicy(origins))).toEqual({
    ...directivesOf(createConsolePolicy([])),
    'connect-src': allowedSources,
    'frame-src': allowedSources,
  });
});

test.each([
  "https://id.example.com; script-src 'unsafe-inline'",
  'https://id.example.com;',
  'https://id.example.com,https://b.example.com',
  "https://id.example.com 'unsafe-eval'",
  'https://id.example.com\r\nSet-Cookie: a=b',
  'https://a;b.example.com',
  'https://*.example.com',
  'https://*',
  'https:',
  'https://id.example.com/',
  'https://id.example.com/path',
  'https://user@id.example.com',
  'https://id.example.com:443',
  'HTTPS://ID.EXAMPLE.COM',
  'data:',
  'blob:https://id.example.com',
  'javascript:alert(1)',
  'com.example.app://callback',
  "'unsafe-inline'",
  '*',
  'null',
  '',
])('%j is not an origin and is omitted', (text) => {
  expect(createConsolePolicy([text])).toBe(createConsolePolicy([]));
  expect(createConsolePolicy(['https://id.example.com', text])).toBe(createConsolePolicy(['https://id.example.com']));
});
