import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from './installation.ts';

const redis = await startRedis({ args: ['--databases', '1'] });
afterAll(() => redis?.close());

let installation: Installation | undefined;
afterEach(() => installation?.remove());

const document = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

/**
 * Starts a service that runs no jobs, and returns functions that create collections and count those that a search
 * finds.
 */
const startServiceWithoutJobs = async (variables: Readonly<Record<string, string>> = {}) => {
  installation = await createInstallation({ JOBS: 'off', ...variables });
  const { api, start, createAdminToken, spawnWorker } = installation;
  await start();
  const caller = await createAdminToken();
  const countMatches = async () =>
    (await api.request<unknown[]>(caller, 'POST', '/api/vector/search', { query: 'weather', k_limit: 50 })).length;
  return {
    api,
    caller,
    spawnWorker,
    countMatches,
    create: async (count: number) => {
      for (let index = 0; index < count; index++)
        await api.request(caller, 'POST', '/api/collections/', { name: `Weather ${index}`, openapi_spec: document });
    },
    waitUntilFound: async (count: number) => {
      for (let attempt = 0; attempt < 600 && (await countMatches()) < count; attempt++) await pause(100);
      expect(await countMatches()).toBe(count);
    },
  };
};

test('a worker runs the jobs that a service with JOBS=off leaves in the outbox, and shuts down cleanly', async () => {
  const { create, countMatches, waitUntilFound, spawnWorker } = await startServiceWithoutJobs();
  await create(1);
  // This is longer than the pause between two runs of the relay.
  await pause(1_500);
  expect(await countMatches()).toBe(0);
  const worker = spawnWorker();
  await waitUntilFound(1);
  worker.kill('SIGTERM');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});

test('if a worker is killed while it reads operations, another worker completes the job', async () => {
  const { api, caller, spawnWorker } = await startServiceWithoutJobs();
  const paths = Array.from({ length: 10_000 }, (_, number) => [
    `/roads/${number}`,
    { get: { summary: 'Read a road' } },
  ]);
  const openapi_spec = { ...document, paths: Object.fromEntries(paths) as object };
  await api.request(caller, 'POST', '/api/collections/', { name: 'Roads', openapi_spec });
  const countMatches = async () =>
    (await api.request<unknown[]>(caller, 'POST', '/api/operations/search', { query: 'read a road', k_limit: 3 }))
      .length;
  const database = new DatabaseSync(join(installation?.folder ?? '', 'portico.sqlite'), { readOnly: true });
  const leasedJobQuery = database.prepare("select id from jobs where kind = 'operations' and leased_until is not null");
  const worker = spawnWorker();
  await expect.poll(() => leasedJobQuery.get(), { interval: 10 }).toBeDefined();
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await countMatches()).toBe(0);
  spawnWorker();
  await expect.poll(countMatches, { interval: 500 }).toBe(3);
  expect(database.prepare("select id from jobs where kind = 'operations'").get()).toBeUndefined();
  database.close();
});

describe.skipIf(!redis?.control)('with Redis between a service and its workers', () => {
  const control = redis?.control;
  if (!redis || !control) return;

  test('every job runs even if a worker is killed and Redis is flushed, frozen and stopped', async () => {
    const { create, waitUntilFound, spawnWorker } = await startServiceWithoutJobs({ REDIS_URL: redis.url });
    const [firstWorker, secondWorker] = [spawnWorker(), spawnWorker()];
    await create(5);
    await waitUntilFound(5);
    await redis.flush();
    await create(5);
    firstWorker.kill('SIGKILL');
    await waitUntilFound(10);
    await control.pause();
    await create(5);
    await control.resume();
    await waitUntilFound(15);
    await control.stop('immediate');
    await create(5);
    await control.start();
    await waitUntilFound(20);
    await control.stop('immediate');
    secondWorker.kill('SIGTERM');
    expect(await once(secondWorker, 'exit')).toEqual([0, null]);
    await control.start();
  });
});
