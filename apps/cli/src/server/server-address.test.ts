import { expect, test } from 'vitest';
import { parseServerAddress } from './server-address.ts';

test.each([
  ['https://portico.example.com', 'https://portico.example.com'],
  ['https://Portico.example.com:443/', 'https://portico.example.com'],
  ['https://example.com/apis//', 'https://example.com/apis'],
  ['http://localhost:3000/', 'http://localhost:3000'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
])('%s is normalized to %s', (text, address) => {
  expect(parseServerAddress(text, false)).toBe(address);
});

test.each([
  'http://portico.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://10.0.0.1',
  'http://0.0.0.0:3000',
])('%s is rejected unless the credential may be exposed on the network', (text) => {
  expect(() => parseServerAddress(text, false)).toThrow('use https, or pass --insecure');
  expect(parseServerAddress(text, true)).toBe(text);
});

test.each(['portico', '', 'ftp://example.com', 'https://example.com?x=1', 'https://example.com#x', 'file:///etc'])(
  '"%s" is not the address of a server',
  (text) => {
    expect(() => parseServerAddress(text, true)).toThrow('is not the address of a server');
  },
);

test.each(['https://me@example.com', 'https://me:hunter2@example.com', 'https://:hunter2@example.com'])(
  'a user or password in %s is rejected and not repeated',
  (text) => {
    expect(() => parseServerAddress(text, true)).toThrow(
      /^the address of the server must not contain a user or password/,
    );
  },
);
