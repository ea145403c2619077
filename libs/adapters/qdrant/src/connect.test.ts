import { startFakeQdrant } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { connect, parseUrl, hostOf } from './connect.ts';

test.each([
  ['http://qdrant', false, 'qdrant', 6333, ''],
  ['http://qdrant/', false, 'qdrant', 6333, ''],
  ['http://qdrant:7000', false, 'qdrant', 7000, ''],
  ['http://qdrant:80', false, 'qdrant', 80, ''],
  ['https://qdrant.example.com', true, 'qdrant.example.com', 443, ''],
  ['https://qdrant.example.com:6333', true, 'qdrant.example.com', 6333, ''],
  ['http://[::1]:6334', false, '[::1]', 6334, ''],
  ['https://gateway.example.com/qdrant/', true, 'gateway.example.com', 443, '/qdrant'],
])('%s is parsed', (url, https, host, port, prefix) => {
  expect(parseUrl(url)).toEqual({ https, host, port, prefix });
});

test('fake Qdrant: the key is sent, even over http', async () => {
  const fake = await startFakeQdrant({ apiKey: 'a key' });
  await connect(fake.url, 'a key', 600_000).getAliases();
  await expect(connect(fake.url, 'another', 600_000).getAliases()).rejects.toThrow('Unauthorized');
  await fake.close();
});

test('only the host and port of a URL are logged', () => {
  expect(hostOf('https://user:secret@qdrant.example.com:6333/path?key=secret')).toBe('qdrant.example.com:6333');
});
