import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  pollUntil,
  countFailures,
  prepareCallers,
  countByOperation,
  startTraffic,
  trafficVariables,
  type Operation,
  type Traffic,
} from './traffic.ts';

const crashCount = 4;

const postgres = await startPostgres({ durable: true });
afterAll(() => postgres?.close());

const operations: readonly Operation[] = [
  'read',
  'list',
  'metadata',
  'search',
  'search operations',
  'write audit',
  'create',
];
describe.skipIf(!postgres?.control)('PostgreSQL', () => {
  let installation: Installation;
  let traffic: Traffic | null = null;

  /** Starts a service and sends traffic to it. */
  const startWithTraffic = async (
    variables: Record<string, string> = {},
  ): Promise<{ api: ApiClient; admin: Credential; traffic: Traffic }> => {
    const url = (await postgres?.createDatabase()) ?? '';
    installation = await createInstallation({ ...trafficVariables, DATABASE_URL: url, ...variables });
    await installation.start();
    const { api } = installation;
    const admin = await installation.createAdminToken();
    const callers = await prepareCallers(api, admin, (uid) => installation.createToken(uid));
    traffic = startTraffic(api, callers, { createEveryMs: 500 });
    expect(countFailures(await traffic.recordDuring(1_000))).toEqual({});
    return { api, admin, traffic };
  };

  afterEach(async () => {
    await traffic?.stop();
    traffic = null;
    await installation.remove();
  });

  const expectRecovery = async (runningTraffic: Traffic): Promise<void> => {
    await pollUntil(
      () => runningTraffic.recordDuring(500),
      (exchanges) =>
        Object.keys(countFailures(exchanges)).length === 0 &&
        Object.keys(countByOperation(exchanges)).length === operations.length,
    );
  };

  test('no acknowledged change is lost when the server crashes repeatedly', async () => {
    const { api, admin, traffic: runningTraffic } = await startWithTraffic();
    const acknowledgedIds = new Set<string>();
    let isStopping = false;
    const creation = (async () => {
      for (let index = 0; !isStopping; index++) {
        const id = await createCollection(api, admin, `Acknowledged ${index}`).catch(() => null);
        if (id) acknowledgedIds.add(id);
        else await pause(100);
      }
    })();
    for (let round = 0; round < crashCount; round++) {
      const before = acknowledgedIds.size;
      await pollUntil(
        () => acknowledgedIds.size,
        (size) => size >= before + 5,
      );
      await postgres?.control?.stop('immediate');
      await postgres?.control?.start();
    }
    isStopping = true;
    await creation;
    await expectRecovery(runningTraffic);
    const collections = await api.request<{ id: string }[]>(admin, 'GET', '/api/collections/');
    const ids = new Set(collections.map(({ id }) => id));
    expect([...acknowledgedIds].filter((id) => !ids.has(id))).toEqual([]);
    expect(acknowledgedIds.size).toBeGreaterThanOrEqual(5 * crashCount);
  });

  test('a worker survives a restart of the database, and shuts down gracefully', async () => {
    const { api, admin } = await startWithTraffic({ JOBS: 'off' });
    const worker = installation.spawnWorker();
    const createAndFind = async (name: string): Promise<void> => {
      const id = await createCollection(api, admin, name);
      await pollUntil(
        () =>
          api.request<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
        ([match]) => match?.collection_id === id,
      );
    };
    await createAndFind('Penguins before');
    await traffic?.stop();
    traffic = null;
    await postgres?.control?.stop('fast');
    await pause(2_000);
    await postgres?.control?.start();
    await pollUntil(
      () => api.call(admin, 'GET', '/api/collections/'),
      ({ status }) => status === 200,
    );
    await createAndFind('Elephants after');
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  });
});
