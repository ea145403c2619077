import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';

it('A port is handed out only once, even to many concurrent requests', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(200);
});

it('A port that is in use is skipped', async () => {
  const before = await freePort();
  const listening = createServer().listen(before + 1, '127.0.0.1');
  // If this fails, another process is listening on that port.
  await once(listening, 'listening').catch(() => undefined);
  expect(await freePort()).not.toBe(before + 1);
  listening.close();
});

it('The ports are in the range of the test worker, below those of outgoing connections', async () => {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  for (const port of ports) {
    expect(Math.floor((port - 15_000) / 1_000)).toBe(worker % 17);
    expect(port).toBeLessThan(32_768);
  }
});
