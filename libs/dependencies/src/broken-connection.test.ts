import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { retryIfBroken } from './broken-connection.ts';

/** Starts a server that breaks its first connections after it has received a request. */
const startServer = async (brokenCount: number, breakBy: 'resetAndDestroy' | 'destroy' = 'resetAndDestroy') => {
  let receivedCount = 0;
  const server = createServer((_request, response) => {
    receivedCount += 1;
    if (receivedCount <= brokenCount) response.socket?.[breakBy]();
    else response.end(`response ${receivedCount}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received: () => receivedCount };
};

test.each(['resetAndDestroy', 'destroy'] as const)(
  'a request is sent once more if its connection broke: %s',
  async (end) => {
    const { url } = await startServer(1, end);
    expect(await (await retryIfBroken(() => fetch(url))).text()).toBe('response 2');
  },
);

test('the second failure is final', async () => {
  const { url, received } = await startServer(2);
  await expect(retryIfBroken(() => fetch(url))).rejects.toThrow('fetch failed');
  expect(received()).toBe(2);
});

test('a request is not retried if it was aborted or failed for a different reason', async () => {
  const { url, received } = await startServer(1);
  await expect(retryIfBroken(() => fetch(url), AbortSignal.abort())).rejects.toThrow('fetch failed');
  expect(received()).toBe(1);
  let attempts = 0;
  const attempt = retryIfBroken(() => {
    attempts += 1;
    return fetch('http://127.0.0.1:1');
  });
  await expect(attempt).rejects.toThrow('fetch failed');
  expect(attempts).toBe(1);
});
