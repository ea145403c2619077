import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { addCollection } from './clients.ts';
import type { Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

const openTestInstallation = (variables: Readonly<Record<string, string>>): Promise<Installation> =>
  openInstallation({ RATE_LIMIT_DEFAULT: '1000000/60', LOG_LEVEL: 'warn', ...variables });

const openapi_spec = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

const readRepeatedly = async (api: ApiClient, admin: Credential, id: string, times: number): Promise<void> => {
  for (let time = 1; time <= times; time += 1) await api.request(admin, 'GET', `/api/collections/${id}`);
};

const readsOf = async (api: ApiClient, admin: Credential, id: string): Promise<number> => {
  const path = `/api/usage?by=collection&collection_id=${id}`;
  const [line] = await api.request<{ reads: number }[]>(admin, 'GET', path);
  return line?.reads ?? 0;
};

test('a service that stops writes its counts; one that is killed loses those since the last write', async () => {
  const installation = await openTestInstallation({ JOBS: 'off' });
  const { api, start } = installation;
  const firstService = await start();
  const admin = await installation.createAdminToken();
  const id = await addCollection(api, admin, { name: 'Weather', openapi_spec });
  await readRepeatedly(api, admin, id, 30);
  await firstService.stop();

  const secondService = await start();
  expect(await readsOf(api, admin, id)).toBe(30);
  await readRepeatedly(api, admin, id, 5);
  await secondService.kill();

  await start();
  const reads = await readsOf(api, admin, id);
  expect(reads).toBeGreaterThanOrEqual(30);
  expect(reads).toBeLessThanOrEqual(35);
});

test('reads write nothing themselves: their counts are written in batches', async () => {
  const installation = await openTestInstallation({ JOBS: 'off' });
  const { api, start, folder } = installation;
  await start();
  const admin = await installation.createAdminToken();
  const id = await addCollection(api, admin, { name: 'Weather', openapi_spec });
  const database = new DatabaseSync(join(folder, 'portico.sqlite'), { readOnly: true });
  onTestFinished(() => database.close());
  /** Returns a number that changes with each commit by another connection. */
  const readDataVersion = () => database.prepare('pragma data_version').get()?.['data_version'];
  let commits = 0;
  for (let [readCount, before] = [1, readDataVersion()]; readCount <= 300; readCount += 1) {
    await readRepeatedly(api, admin, id, 1);
    const after = readDataVersion();
    if (after !== before) commits += 1;
    before = after;
  }
  // Counts may be written between the reads, every few seconds.
  expect(commits).toBeLessThan(30);
  await expect.poll(() => readsOf(api, admin, id), { interval: 500 }).toBe(300);
});

describe.skipIf(!postgres || !redis)('two processes on one PostgreSQL', () => {
  test('add up their counts', async () => {
    await redis?.flush();
    const variables = {
      DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      JOBS: 'off',
    };
    const installation = await openTestInstallation(variables);
    const replicas = await Promise.all([installation.startReplica(), installation.startReplica()]);
    const [{ api: firstApi }, { api: secondApi }] = replicas;
    const admin = await installation.createAdminToken();
    const id = await addCollection(firstApi, admin, { name: 'Weather', openapi_spec });
    await Promise.all([readRepeatedly(firstApi, admin, id, 40), readRepeatedly(secondApi, admin, id, 60)]);
    await Promise.all(replicas.map(({ service }) => service.stop()));
    const { api } = await installation.startReplica();
    expect(await readsOf(api, admin, id)).toBe(100);
  });
});
