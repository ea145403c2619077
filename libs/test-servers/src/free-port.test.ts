import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { findFreePort } from './free-port.ts';

it('A port is handed out only once, even to many concurrent requests', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => findFreePort()));
  expect(new Set(ports).size).toBe(200);
});

it('A port that is in use is skipped', async () => {
  const before = await findFreePort();
  const server = createServer().listen(before + 1, '127.0.0.1');
  // If this fails, another process is listening on that port.
  await once(server, 'listening').catch(() => undefined);
  expect(await findFreePort()).not.toBe(before + 1);
  server.close();
});

it('The ports are in the range of the test worker, below those of outgoing connections', async () => {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const ports = await Promise.all(Array.from({ length: 50 }, () => findFreePort()));
  for (const port of ports) {
    expect(Math.floor((port - 15_000) / 1_000)).toBe(worker % 17);
    expect(port).toBeLessThan(32_768);
  }
});
