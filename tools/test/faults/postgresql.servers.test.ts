import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  eventually,
  countFailures,
  prepareCallers,
  countByOperation,
  startTraffic,
  trafficVariables,
  type Operation,
  type Traffic,
} from './traffic.ts';

const crashes = 4;

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
    const url = (await postgres?.newDatabase()) ?? '';
    installation = await createInstallation({ ...trafficVariables, DATABASE_URL: url, ...variables });
    await installation.start();
    const { api } = installation;
    const admin = await installation.admin();
    const callers = await prepareCallers(api, admin, (uid) => installation.person(uid));
    traffic = startTraffic(api, callers, { createEveryMs: 500 });
    expect(countFailures(await traffic.during(1_000))).toEqual({});
    return { api, admin, traffic };
  };

  afterEach(async () => {
    await traffic?.stop();
    traffic = null;
    await installation.remove();
  });

  const expectRecovery = async (ongoing: Traffic): Promise<void> => {
    await eventually(
      () => ongoing.during(500),
      (exchanges) =>
        Object.keys(countFailures(exchanges)).length === 0 &&
        Object.keys(countByOperation(exchanges)).length === operations.length,
    );
  };

  test('no acknowledged change is lost when the server crashes repeatedly', async () => {
    const { api, admin, traffic: ongoing } = await startWithTraffic();
    const acknowledged = new Set<string>();
    let stopping = false;
    const creating = (async () => {
      for (let n = 0; !stopping; n++) {
        const id = await createCollection(api, admin, `Acknowledged ${n}`).catch(() => null);
        if (id) acknowledged.add(id);
        else await pause(100);
      }
    })();
    for (let crash = 0; crash < crashes; crash++) {
      const before = acknowledged.size;
      await eventually(
        () => acknowledged.size,
        (size) => size >= before + 5,
      );
      await postgres?.control?.stop('immediate');
      await postgres?.control?.start();
    }
    stopping = true;
    await creating;
    await expectRecovery(ongoing);
    const collections = await api.request<{ id: string }[]>(admin, 'GET', '/api/collections/');
    const ids = new Set(collections.map(({ id }) => id));
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(5 * crashes);
  });

  test('a worker survives a restart of the database, and shuts down gracefully', async () => {
    const { api, admin } = await startWithTraffic({ JOBS: 'off' });
    const worker = installation.spawnWorker();
    const createAndFind = async (name: string): Promise<void> => {
      const id = await createCollection(api, admin, name);
      await eventually(
        () =>
          api.request<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
        ([first]) => first?.collection_id === id,
      );
    };
    await createAndFind('Penguins before');
    await traffic?.stop();
    traffic = null;
    await postgres?.control?.stop('fast');
    await pause(2_000);
    await postgres?.control?.start();
    await eventually(
      () => api.call(admin, 'GET', '/api/collections/'),
      ({ status }) => status === 200,
    );
    await createAndFind('Elephants after');
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  });
});
