import { startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../../src/api-client.ts';
import { createInstallation, type Installation } from '../installation.ts';
import {
  createCollection,
  pollUntil,
  countFailures,
  logOf,
  prepareCallers,
  startTraffic,
  trafficVariables,
  warningsOf,
  type Traffic,
} from './traffic.ts';

const killCount = 3;

const password = 'a-password-of-redis';
const redis = await startRedis({ password });
afterAll(() => redis?.close());

describe.skipIf(!redis?.control)('Redis', () => {
  let installation: Installation;
  let traffic: Traffic | null = null;

  const startInstallation = async (): Promise<ApiClient> => {
    await redis?.flush();
    installation = await createInstallation({ ...trafficVariables, REDIS_URL: redis?.url ?? '' });
    await installation.start();
    return installation.api;
  };

  const startWithTraffic = async (): Promise<{ api: ApiClient; admin: Credential; traffic: Traffic }> => {
    const api = await startInstallation();
    const admin = await installation.createAdminToken();
    const callers = await prepareCallers(api, admin, (uid) => installation.createToken(uid));
    traffic = startTraffic(api, callers, { createEveryMs: 500 });
    return { api, admin, traffic };
  };

  afterEach(async () => {
    await traffic?.stop();
    traffic = null;
    await installation.remove();
  });

  const createAndFind = async (api: ApiClient, admin: Credential, name: string): Promise<void> => {
    const id = await createCollection(api, admin, name);
    await pollUntil(
      () => api.request<{ collection_id: string }[]>(admin, 'POST', '/api/vector/search', { query: name, k_limit: 1 }),
      ([match]) => match?.collection_id === id,
    );
  };

  test('no job is lost and no request fails when Redis is killed and restarts empty repeatedly', async () => {
    const { api, admin, traffic: runningTraffic } = await startWithTraffic();
    const exchanges = await runningTraffic.recordDuring(async () => {
      for (let round = 1; round <= killCount; round++) {
        await createCollection(api, admin, `Made before crash ${round}`);
        await redis?.control?.stop('immediate');
        await createCollection(api, admin, `Made during crash ${round}`);
        await redis?.control?.start();
        await createAndFind(api, admin, `Penguins after crash ${round}`);
      }
    });
    expect(countFailures(exchanges)).toEqual({});
    // Otherwise, a job could always be waiting.
    await runningTraffic.stop();
    await pollUntil(
      async () => (await (await fetch(`${api.address}/metrics`)).text()).match(/^outbox_jobs.*$/gm),
      (jobs) => jobs?.join() === 'outbox_jobs{state="waiting"} 0,outbox_jobs{state="given_up"} 0',
    );
    expect(warningsOf(installation).join('\n')).toContain('is unavailable');
    expect(logOf(installation).text).not.toContain(password);
  });
});
