import { describe, expect, test } from 'vitest';
import { createHostCheck, rejectForeignOrigin } from './origin.ts';

const headersOf = (headers: Readonly<Record<string, string | undefined>>) => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
});

describe('the origin', () => {
  const checkOrigin =
    (
      origin: string | undefined,
      host: string | undefined,
      publicUrl: string | null = null,
      listeningHost = '0.0.0.0',
    ) =>
    () =>
      rejectForeignOrigin(headersOf({ origin, host }), { host: listeningHost, publicUrl });

  test.each([
    [undefined, 'portico.example'],
    ['https://portico.example', 'portico.example'],
    ['http://portico.example', 'portico.example'],
    ['https://portico.example', 'portico.example:443'],
    ['https://portico.example:443', 'portico.example'],
    ['http://PORTICO.example:3000', 'portico.EXAMPLE:3000'],
    ['http://[::1]:3000', '[::1]:3000'],
  ])('%s may call %s without a public URL', (origin, host) => {
    expect(checkOrigin(origin, host)).not.toThrow();
  });

  test.each([
    ['https://evil.example', 'portico.example'],
    ['https://portico.example.evil.example', 'portico.example'],
    ['https://evil.example/portico.example', 'portico.example'],
    ['https://portico.example@evil.example', 'portico.example'],
    ['https://portico.example:8443', 'portico.example'],
    ['http://portico.example', 'portico.example:443'],
    ['null', 'portico.example'],
    ['null', 'null'],
    ['', 'portico.example'],
    ['', ''],
    ['portico.example', 'portico.example'],
    ['file://', ''],
    ['https://portico.example', undefined],
  ])('%j may not call %j', (origin, host) => {
    expect(checkOrigin(origin, host)).toThrow('Origin not allowed');
  });

  const publicUrl = 'https://portico.example/catalog';

  test.each([
    ['https://portico.example', '10.0.0.1:3000', '0.0.0.0'],
    ['https://portico.example:443', 'portico.example', '127.0.0.1'],
    ['http://localhost:3000', 'localhost:3000', '127.0.0.1'],
    [undefined, 'evil.example', '0.0.0.0'],
  ])('%s may call %s with a public URL, if the service listens on %s', (origin, host, listeningHost) => {
    expect(checkOrigin(origin, host, publicUrl, listeningHost)).not.toThrow();
  });

  test.each([
    ['https://evil.example', 'portico.example', '0.0.0.0'],
    ['https://evil.example', 'evil.example', '0.0.0.0'],
    ['http://portico.example', 'portico.example', '0.0.0.0'],
    ['https://portico.example:8443', 'portico.example:8443', '0.0.0.0'],
    ['http://10.0.0.1:3000', '10.0.0.1:3000', '0.0.0.0'],
    ['http://localhost:3001', 'localhost:3000', '127.0.0.1'],
    ['null', 'null', '127.0.0.1'],
  ])('%s may not call %s with a public URL, if the service listens on %s', (origin, host, listeningHost) => {
    expect(checkOrigin(origin, host, publicUrl, listeningHost)).toThrow('Origin not allowed');
  });
});

describe('the host', () => {
  const checkHost =
    (host: string | undefined, listeningHost: string, publicUrl: string | null = null) =>
    () =>
      createHostCheck({ host: listeningHost, publicUrl })(headersOf({ host }));

  test.each([
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1',
    '127.8.9.10:3000',
    '[::1]:3000',
    'portico.example',
    'Portico.Example:8443',
    undefined,
  ])('%s is accepted on loopback', (host) => {
    for (const listeningHost of ['127.0.0.1', 'localhost', '::1'])
      expect(checkHost(host, listeningHost, 'https://portico.example/catalog')).not.toThrow();
  });

  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'portico.example.evil.example',
    'localhost@evil.example',
    '192.0.2.1',
    '[::2]',
    '0.0.0.0',
    'portico',
  ])('%s is rejected on loopback, and the error says what to do', (host) => {
    expect(checkHost(host, '127.0.0.1', 'https://portico.example')).toThrow(/^Host not allowed: .*set PUBLIC_URL/);
  });

  test('of the public URL is rejected on loopback if there is none', () => {
    expect(checkHost('portico.example', '127.0.0.1')).toThrow('Host not allowed');
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', 'portico.internal'])(
    'is not checked if the service listens on %s',
    (host) => {
      expect(checkHost('evil.example', host)).not.toThrow();
    },
  );
});
