import { expect, test } from 'vitest';
import { consolePolicy } from './content-security-policy.ts';

const directivesOf = (policy: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values];
    }),
  );

test('without origins of an issuer, the page may connect to this service only', () => {
  expect(consolePolicy([])).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
      "frame-ancestors 'none'",
  );
});

test('sign-in origins are allowed for connections and frames only', () => {
  const origins = ['https://id.example.com', 'http://127.0.0.1:9099', 'https://xn--bcher-kva.example:8443'];
  const allowed = ["'self'", ...origins];
  expect(directivesOf(consolePolicy(origins))).toEqual({
    ...directivesOf(consolePolicy([])),
    'connect-src': allowed,
    'frame-src': allowed,
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
])('%j is not an origin and is left out', (text) => {
  expect(consolePolicy([text])).toBe(consolePolicy([]));
  expect(consolePolicy(['https://id.example.com', text])).toBe(consolePolicy(['https://id.example.com']));
});
