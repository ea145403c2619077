import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy, startRedis, type FaultMode } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  away,
  createCollection,
  eventually,
  failures,
  late,
  logOf,
  prepareSenders,
  present,
  startTraffic,
  trafficVariables,
  untilStateIs,
  warningsOf,
  type Traffic,
} from './traffic.ts';

/** A few by default; all that the product promises if `THOROUGH` is set. */
const kills = process.env.THOROUGH === '1' ? 100 : 3;

const password = 'a-password-of-redis';
const redis = await startRedis({ password });
const proxy = redis && (await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(redis.url).port) }));
afterAll(() => Promise.all([redis?.close(), proxy?.close()]));

describe.skipIf(!redis?.control || !proxy)('Redis', () => {
  let installation: Installation;
  let traffic: Traffic | null = null;

  const install = async (): Promise<ApiClient> => {
    await redis?.flush();
    installation = await createInstallation({ ...trafficVariables, REDIS_URL: proxy?.through(redis?.url ?? '') ?? '' });
    await installation.start();
    return installation.api;
  };

  const begin = async (): Promise<{ api: ApiClient; admin: Credential; traffic: Traffic }> => {
    const api = await install();
    const admin = await installation.admin();
    const senders = await prepareSenders(api, admin, (uid) => installation.person(uid));
    traffic = startTraffic(api, senders, { createEveryMs: 500 });
    return { api, admin, traffic };
  };

  afterEach(async () => {
    await traffic?.stop();
    traffic = null;
    await installation.remove();
    await proxy?.set('pass');
  });

  const isFound = async (api: ApiClient, admin: Credential, name: string): Promise<void> => {
    const id = await createCollection(api, admin, name);
    await eventually(
      () => api.ask<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
      ([first]) => first?.collection_id === id,
    );
  };

  const fallback = async ({ address }: ApiClient): Promise<string | undefined> =>
    /^rate_limiter_fallback (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

  test.each<FaultMode & string>(['down', 'hang', 'reset', 'garbage'])(
    'under %s no request fails, limits are counted locally, and afterwards Redis is used again, for jobs too',
    async (mode) => {
      const { api, admin, traffic: on } = await begin();
      const seen = await on.during(async () => {
        await pause(500);
        await proxy?.set(mode);
        await untilStateIs(api, 'redis', away);
        await eventually(
          () => fallback(api),
          (value) => value === '1',
        );
        await pause(2_000);
        await proxy?.set('pass');
        await untilStateIs(api, 'redis', present, 40_000);
        await isFound(api, admin, `Elephants under ${mode}`);
      });
      expect(late(seen)).toEqual([]);
      expect(failures(seen)).toEqual({});
      await eventually(
        () => fallback(api),
        (value) => value === '0',
      );
      expect(warningsOf(installation).join('\n')).toContain('is away');
      expect(logOf(installation).text).not.toContain(password);
    },
    120_000,
  );

  test(`a Redis that is killed and comes back empty, ${kills} times, loses no job and fails no request`, async () => {
    const { api, admin, traffic: on } = await begin();
    const seen = await on.during(async () => {
      for (let round = 1; round <= kills; round++) {
        await createCollection(api, admin, `Made before crash ${round}`);
        await redis?.control?.stop('immediate');
        await createCollection(api, admin, `Made during crash ${round}`);
        await redis?.control?.start();
        await isFound(api, admin, `Penguins after crash ${round}`);
      }
    });
    expect(late(seen)).toEqual([]);
    expect(failures(seen)).toEqual({});
    // Ongoing creations would leave a job waiting now and then.
    await on.stop();
    await eventually(
      async () => (await (await fetch(`${api.address}/metrics`)).text()).match(/^outbox_jobs.*$/gm),
      (jobs) => jobs?.join() === 'outbox_jobs{state="waiting"} 0,outbox_jobs{state="given_up"} 0',
      60_000,
    );
  }, 1_800_000);

  test('a frozen Redis delays no request for long, and is used again when it wakes', async () => {
    const { api, traffic: on } = await begin();
    const seen = await on.during(async () => {
      await redis?.control?.pause();
      await pause(5_000);
      await redis?.control?.resume();
    });
    expect(late(seen)).toEqual([]);
    expect(failures(seen)).toEqual({});
    await untilStateIs(api, 'redis', present, 40_000);
  }, 120_000);

  test('a service starts without Redis, and uses it once it is up', async () => {
    await proxy?.set('down');
    const api = await install();
    await untilStateIs(api, 'redis', away);
    const admin = await installation.admin();
    await createCollection(api, admin, 'Zebras without Redis');
    await proxy?.set('pass');
    await untilStateIs(api, 'redis', present, 40_000);
    await eventually(
      () => api.ask<unknown[]>(admin, 'POST', '/api/vector/search', { query: 'zebras' }),
      (found) => found.length === 1,
      40_000,
    );
  }, 120_000);
});
