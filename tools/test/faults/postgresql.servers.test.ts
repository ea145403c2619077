import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  eventually,
  failures,
  prepareSenders,
  sent,
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

  /** A service with traffic on it. */
  const begin = async (
    variables: Record<string, string> = {},
  ): Promise<{ api: ApiClient; admin: Credential; traffic: Traffic }> => {
    const url = (await postgres?.newDatabase()) ?? '';
    installation = await createInstallation({ ...trafficVariables, DATABASE_URL: url, ...variables });
    await installation.start();
    const { api } = installation;
    const admin = await installation.admin();
    const senders = await prepareSenders(api, admin, (uid) => installation.person(uid));
    traffic = startTraffic(api, senders, { createEveryMs: 500 });
    expect(failures(await traffic.during(1_000))).toEqual({});
    return { api, admin, traffic };
  };

  afterEach(async () => {
    await traffic?.stop();
    traffic = null;
    await installation.remove();
  });

  const expectRecovery = async (on: Traffic): Promise<void> => {
    await eventually(
      () => on.during(500),
      (seen) => Object.keys(failures(seen)).length === 0 && Object.keys(sent(seen)).length === operations.length,
    );
  };

  test('no acknowledged change is lost when the server crashes again and again', async () => {
    const { api, admin, traffic: on } = await begin();
    const made = new Set<string>();
    let stopping = false;
    const creating = (async () => {
      for (let n = 0; !stopping; n++) {
        const id = await createCollection(api, admin, `Acknowledged ${n}`).catch(() => null);
        if (id) made.add(id);
        else await pause(100);
      }
    })();
    for (let crash = 0; crash < crashes; crash++) {
      const before = made.size;
      await eventually(
        () => made.size,
        (size) => size >= before + 5,
      );
      await postgres?.control?.stop('immediate');
      await postgres?.control?.start();
    }
    stopping = true;
    await creating;
    await expectRecovery(on);
    const there = await api.ask<{ id: string }[]>(admin, 'GET', '/api/collections/');
    const ids = new Set(there.map(({ id }) => id));
    expect([...made].filter((id) => !ids.has(id))).toEqual([]);
    expect(made.size).toBeGreaterThanOrEqual(5 * crashes);
  });

  test('a worker survives a restart of the database too, and shuts down in order', async () => {
    const { api, admin } = await begin({ JOBS: 'off' });
    const worker = installation.spawnWorker();
    const isFound = async (name: string): Promise<void> => {
      const id = await createCollection(api, admin, name);
      await eventually(
        () => api.ask<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
        ([first]) => first?.collection_id === id,
      );
    };
    await isFound('Penguins before');
    await traffic?.stop();
    traffic = null;
    await postgres?.control?.stop('fast');
    await pause(2_000);
    await postgres?.control?.start();
    await eventually(
      () => api.call(admin, 'GET', '/api/collections/'),
      ({ status }) => status === 200,
    );
    await isFound('Elephants after');
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  });
});
