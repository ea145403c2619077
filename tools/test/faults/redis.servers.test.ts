import { startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  eventually,
  failures,
  logOf,
  prepareSenders,
  startTraffic,
  trafficVariables,
  warningsOf,
  type Traffic,
} from './traffic.ts';

const kills = 3;

const password = 'a-password-of-redis';
const redis = await startRedis({ password });
afterAll(() => redis?.close());

describe.skipIf(!redis?.control)('Redis', () => {
  let installation: Installation;
  let traffic: Traffic | null = null;

  const install = async (): Promise<ApiClient> => {
    await redis?.flush();
    installation = await createInstallation({ ...trafficVariables, REDIS_URL: redis?.url ?? '' });
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
  });

  const isFound = async (api: ApiClient, admin: Credential, name: string): Promise<void> => {
    const id = await createCollection(api, admin, name);
    await eventually(
      () => api.ask<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
      ([first]) => first?.collection_id === id,
    );
  };

  test('a Redis that is killed and comes back empty, again and again, loses no job and fails no request', async () => {
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
    expect(failures(seen)).toEqual({});
    // Ongoing creations would leave a job waiting now and then.
    await on.stop();
    await eventually(
      async () => (await (await fetch(`${api.address}/metrics`)).text()).match(/^outbox_jobs.*$/gm),
      (jobs) => jobs?.join() === 'outbox_jobs{state="waiting"} 0,outbox_jobs{state="given_up"} 0',
    );
    expect(warningsOf(installation).join('\n')).toContain('is away');
    expect(logOf(installation).text).not.toContain(password);
  });
});
