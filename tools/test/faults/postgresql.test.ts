import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy, startPostgres, type FaultMode } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  eventually,
  failures,
  late,
  logOf,
  prepareSenders,
  sent,
  startTraffic,
  trafficVariables,
  untilStateIs,
  type Operation,
  type Seen,
  type Traffic,
} from './traffic.ts';

/** A few by default; all that the product promises if `THOROUGH` is set. */
const crashes = process.env.THOROUGH === '1' ? 200 : 4;

const postgres = await startPostgres({ durable: true });
const proxy = postgres && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(postgres.url).port) }));
afterAll(() => Promise.all([postgres?.close(), proxy?.close()]));

const operations: readonly Operation[] = [
  'read',
  'list',
  'metadata',
  'search',
  'search operations',
  'write audit',
  'create',
];
const internal = operations.map((operation) => ({ operation, status: 500, detail: 'Internal server error' }));

describe.skipIf(!postgres?.control || !proxy)('PostgreSQL', () => {
  let installation: Installation;
  let traffic: Traffic | null = null;
  let url = '';

  /** A service that reaches the database through the proxy, with traffic on it. */
  const begin = async (
    variables: Record<string, string> = {},
  ): Promise<{ api: ApiClient; admin: Credential; traffic: Traffic }> => {
    url = proxy?.through((await postgres?.newDatabase()) ?? '') ?? '';
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
    await proxy?.set('pass');
    await traffic?.stop();
    traffic = null;
    await installation.remove();
  });

  /** Every request ended in time, and failed only as the catalogue of errors says. */
  const expectOrderly = (seen: readonly Seen[]): void => {
    expect(late(seen)).toEqual([]);
    expect(failures(seen, internal)).toEqual({});
  };

  const expectRecovery = async (on: Traffic): Promise<void> => {
    await eventually(
      () => on.during(500),
      (seen) => Object.keys(failures(seen)).length === 0 && Object.keys(sent(seen)).length === operations.length,
      20_000,
    );
  };

  const ready = { ready: 200, status: 'ok', essential: true, up: '1' } as const;
  const unready = { ready: 503, status: 'unavailable', essential: true, up: '0' } as const;

  const expectNoSecret = (): void => {
    expect(logOf(installation).text).not.toContain(new URL(url).password);
  };

  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'under %s every request ends within 10 s; the service stays alive, is not ready, and recovers by itself',
    async (mode) => {
      const { api, traffic: on } = await begin();
      const seen = await on.during(async () => {
        await proxy?.set(mode);
        await untilStateIs(api, 'database', unready);
        expect((await api.call(null, 'GET', '/health')).status).toBe(200);
        // Under `hang` longer than the statement timeout.
        await pause(mode === 'hang' ? 7_000 : 2_000);
        await proxy?.set('pass');
      });
      expectOrderly(seen);
      expect(seen.some(({ status }) => status === 500)).toBe(true);
      await expectRecovery(on);
      await untilStateIs(api, 'database', ready);
      expectNoSecret();
    },
    180_000,
  );

  test('requests do not wait for a frozen server, and use it again when it wakes', async () => {
    const { traffic: on } = await begin();
    const seen = await on.during(async () => {
      await postgres?.control?.pause();
      await pause(8_000);
      await postgres?.control?.resume();
    });
    expectOrderly(seen);
    expect(seen.some(({ status }) => status === 500)).toBe(true);
    await expectRecovery(on);
  }, 180_000);

  test('a restart of the server under traffic needs no restart of the service', async () => {
    const { traffic: on } = await begin();
    const seen = await on.during(async () => {
      await postgres?.control?.stop('fast');
      await pause(2_000);
      await postgres?.control?.start();
    });
    expectOrderly(seen);
    await expectRecovery(on);
  }, 180_000);

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
        30_000,
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
  }, 900_000);

  test('a service that is started before the database waits for it, and answers once it is up', async () => {
    url = proxy?.through((await postgres?.newDatabase()) ?? '') ?? '';
    installation = await createInstallation({ ...trafficVariables, DATABASE_URL: url });
    await proxy?.set('down');
    const starting = installation.start();
    await eventually(
      () => existsSync(join(installation.folder, 'service.log')) && logOf(installation).text,
      (text) => text !== false && text.includes('cannot be reached; retrying'),
    );
    await proxy?.set('pass');
    await starting;
    await untilStateIs(installation.api, 'database', ready);
    expectNoSecret();
  }, 180_000);

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
  }, 180_000);
});
