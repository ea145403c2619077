import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { againIfBroken } from './broken-connection.ts';

/** A server that breaks its first connections, each once it has received a request. */
const startServer = async (broken: number, end: 'resetAndDestroy' | 'destroy' = 'resetAndDestroy') => {
  let received = 0;
  const server = createServer((_request, response) => {
    received += 1;
    if (received <= broken) response.socket?.[end]();
    else response.end(`answer ${received}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received: () => received };
};

test.each(['resetAndDestroy', 'destroy'] as const)(
  'a request whose connection broke is sent once more: %s',
  async (end) => {
    const { url } = await startServer(1, end);
    expect(await (await againIfBroken(() => fetch(url))).text()).toBe('answer 2');
  },
);

test('the second failure counts', async () => {
  const { url, received } = await startServer(2);
  await expect(againIfBroken(() => fetch(url))).rejects.toThrow('fetch failed');
  expect(received()).toBe(2);
});

test('nothing is sent again if nobody waits for it any more, or for another reason', async () => {
  const { url, received } = await startServer(1);
  await expect(againIfBroken(() => fetch(url), AbortSignal.abort())).rejects.toThrow('fetch failed');
  expect(received()).toBe(1);
  let tries = 0;
  const refused = againIfBroken(() => {
    tries += 1;
    return fetch('http://127.0.0.1:1');
  });
  await expect(refused).rejects.toThrow('fetch failed');
  expect(tries).toBe(1);
});
