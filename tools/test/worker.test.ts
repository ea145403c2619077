import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createInstallation } from './installation.ts';

const installation = await createInstallation({ JOBS: 'off' });
afterEach(() => installation.remove());

test('what a service with JOBS=off leaves in the outbox, a worker works, and it ends in order', async () => {
  const { api, start, admin, spawnWorker } = installation;
  await start();
  const caller = await admin();
  const spec = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };
  await api.ask(caller, 'POST', '/api/collections/', { name: 'Weather', openapi_spec: spec });
  const find = () => api.ask<unknown[]>(caller, 'POST', '/api/vector/search', { query: 'weather' });
  await pause(1_500);
  expect(await find()).toEqual([]);
  const worker = spawnWorker();
  for (let attempt = 0; attempt < 100 && (await find()).length === 0; attempt++) await pause(100);
  expect(await find()).toHaveLength(1);
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});
