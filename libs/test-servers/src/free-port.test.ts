import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';

it('A port that was given is not given again, however many are asked for at once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(200);
});

it('A port on which somebody listens is passed over', async () => {
  const before = await freePort();
  const listening = createServer().listen(before + 1, '127.0.0.1');
  // If it cannot listen there, somebody else does.
  await once(listening, 'listening').catch(() => undefined);
  expect(await freePort()).not.toBe(before + 1);
  listening.close();
});

it('The ports are those of the test worker, and none that an outgoing connection is given', async () => {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  for (const port of ports) {
    expect(Math.floor((port - 15_000) / 1_000)).toBe(worker % 17);
    expect(port).toBeLessThan(32_768);
  }
});
