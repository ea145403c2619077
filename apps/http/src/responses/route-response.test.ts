import { createServer } from 'node:http';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Exchange } from '../exchange.ts';
import { toReadyResponse, send } from './route-response.ts';

/** Returns the bytes that a client receives, and the number of event-loop ticks that passed while they were sent. */
const exchangeBody = async (body: Uint8Array, method = 'GET') => {
  const state = { ticks: 0, isSending: false };
  const server = createServer((request, response) => {
    const count = async () => {
      for (state.isSending = true; state.isSending; await setImmediate()) state.ticks += 1;
    };
    void count();
    const exchange = { request, response, requestId: 'one', rateLimit: null } as unknown as Exchange;
    void send(exchange, toReadyResponse(body, { 'Content-Type': 'application/octet-stream' }), 200, false).finally(
      () => (state.isSending = false),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const fetched = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method });
    const bytes = Buffer.from(await fetched.arrayBuffer());
    return { bytes, length: fetched.headers.get('content-length'), turns: state.ticks };
  } finally {
    await once(server.close(), 'close');
  }
};

test.each([1_048_575, 1_048_576, 1_048_577, 1_310_720, 5_000_000])(
  'a body of %i bytes arrives completely',
  async (size) => {
    const body = Buffer.alloc(size, 'abcdefghijk');
    const { bytes, length } = await exchangeBody(body);
    expect(bytes.equals(body)).toBe(true);
    expect(length).toBe(String(size));
    const head = await exchangeBody(body, 'HEAD');
    expect([head.bytes.length, head.length]).toEqual([0, String(size)]);
  },
);

test('sending a large body yields to the event loop', async () => {
  let ms = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 4));
  onTestFinished(() => clock.mockRestore());
  const small = await exchangeBody(Buffer.alloc(1_048_576));
  const large = await exchangeBody(Buffer.alloc(4_194_304));
  expect(small.turns).toBeLessThan(6);
  expect(large.turns).toBeGreaterThanOrEqual(16);
});
