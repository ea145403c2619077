import { expect, test } from 'vitest';
import { rejectForeignOrigin } from './origin.ts';

const checkOrigin =
  (origin: string | undefined, host: string | undefined, publicUrl: string | null = null) =>
  () =>
    rejectForeignOrigin(
      {
        headers: { ...(origin === undefined ? {} : { origin }), ...(host === undefined ? {} : { host }) },
      },
      publicUrl,
    );

test.each([
  [undefined, 'portico.example'],
  ['https://portico.example', 'portico.example'],
  ['http://portico.example', 'portico.example'],
  ['https://portico.example', 'portico.example:443'],
  ['https://portico.example:443', 'portico.example'],
  ['http://PORTICO.example:3000', 'portico.EXAMPLE:3000'],
  ['http://[::1]:3000', '[::1]:3000'],
])('the origin %s may call %s', (origin, host) => {
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
])('the origin %j may not call %j', (origin, host) => {
  expect(checkOrigin(origin, host)).toThrow('Origin not allowed');
});

test('a page of the public address may call through a proxy with any host', () => {
  const publicUrl = 'https://portico.example/catalog/mcp';
  expect(checkOrigin('https://portico.example', '10.0.0.1:3000', publicUrl)).not.toThrow();
  expect(checkOrigin('https://evil.example', '10.0.0.1:3000', publicUrl)).toThrow('Origin not allowed');
});
