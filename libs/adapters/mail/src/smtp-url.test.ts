import { describe, expect, test } from 'vitest';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

test.each<[string, Partial<SmtpTarget>]>([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'required', credentials: null }],
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, tls: 'implicit', credentials: null }],
  ['smtp://mail.example.com:25/', { port: 25, tls: 'required' }],
  ['smtp://mailpit:1025?tls=off', { host: 'mailpit', port: 1025, tls: 'off' }],
  ['smtp://mailpit:1025/?tls=required', { tls: 'required' }],
  ['smtp://localhost:25', { host: 'localhost', tls: 'offered' }],
  ['smtp://127.0.0.2:25', { host: '127.0.0.2', tls: 'offered' }],
  ['smtp://[::1]:25', { host: '::1', tls: 'offered' }],
  ['smtp://localhost?tls=required', { tls: 'required' }],
  ['smtp://[2001:db8::1]', { host: '2001:db8::1', tls: 'required' }],
  ['smtp://10.0.0.1', { host: '10.0.0.1', tls: 'required' }],
  ['smtp://localhost.example.com', { tls: 'required' }],
  ['smtp://127.0.0.1.example.com', { tls: 'required' }],
  ['smtp://u:p@localhost', { tls: 'required', credentials: { user: 'u', password: 'p' } }],
  ['smtp://u:p@localhost?tls=off', { tls: 'off' }],
  [
    'smtps://ada%40example.com:p%3A%2F%40%3F%C3%A9@mail.example.com',
    { credentials: { user: 'ada@example.com', password: 'p:/@?é' } },
  ],
])('%s is parsed', (url, target) => {
  expect(readSmtpUrl(url)).toMatchObject(target);
});

describe.each([
  '',
  'mail.example.com',
  'http://mail.example.com',
  'smtp:',
  'smtp://',
  'smtp://mail example',
  'smtp://ma%0d%0ail.example.com',
  'smtp://mail.example.com:99999',
  'smtp://mail.example.com/path-hunter2',
  'smtp://mail.example.com#hunter2',
  'smtp://ada:hunter2@mail.example.com?tls=off',
  'smtp://ada:hunter2@mailpit:1025?tls=off',
  'smtp://ada@mail.example.com',
  'smtp://:hunter2@mail.example.com',
  'smtp://ada:hunter2%zz@mail.example.com',
  'smtp://ada:hunter2@mail.example.com?tls=insecure',
  'smtp://ada:hunter2@mail.example.com?tls=optional',
  'smtp://mail.example.com?tls',
  'smtp://mail.example.com?tls=off&tls=required',
  'smtp://mail.example.com?pool=true',
  'smtp://mail.example.com?tls.rejectUnauthorized=false',
  'smtps://mail.example.com?tls=off',
  'smtps://ada:hunter2@mail.example.com?hunter2',
])('%j', (url) => {
  test('is rejected, and not quoted', () => {
    expect(() => readSmtpUrl(url)).toThrow();
    expect(() => readSmtpUrl(url)).not.toThrow(/hunter2|ada|mail\.example/);
  });
});
