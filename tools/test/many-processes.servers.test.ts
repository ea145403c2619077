import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { addCollection, approve, register, type ApprovedClient } from './clients.ts';
import { createInstallation, type Installation, type Replica } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** Numbers are small by default; with `THOROUGH`, they are those that the product promises. */
const isThorough = process.env.THOROUGH === '1';
const revokeCycles = isThorough ? 5_000 : 100;
const limitedRequests = isThorough ? 100_000 : 5_000;

const document = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

interface Person {
  readonly id: string;
  readonly token: Credential;
}

type Client = Person & ApprovedClient;

describe.skipIf(!postgres || !redis)('several processes on one PostgreSQL and one Redis', () => {
  const create = async (): Promise<Installation> =>
    createInstallation({
      DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      JOBS: 'off',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_DEFAULT: '1000000/60',
    });

  let installation: Installation;
  let firstReplica: Replica;
  let secondReplica: Replica;
  let admin: Credential;
  beforeAll(async () => {
    installation = await create();
    installation.spawnWorker();
    [firstReplica, secondReplica] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    admin = await installation.createAdminToken();
  });
  afterAll(() => installation.remove());

  let personCount = 0;
  const createPerson = async (api: ApiClient): Promise<Person> => {
    const uid = `person-${++personCount}`;
    return { id: await register(api, uid), token: await installation.createToken(uid) };
  };

  const createClient = async (api: ApiClient, admin: Credential): Promise<Client> => {
    const person = await createPerson(api);
    return { ...person, ...(await approve(api, admin, person.id)) };
  };

  const createCollection = (api: ApiClient, admin: Credential, name: string): Promise<string> =>
    addCollection(api, admin, { name, openapi_spec: document });

  test('eight processes that start simultaneously on an empty database all become ready, with one admin', async () => {
    const emptyInstallation = await create();
    onTestFinished(() => emptyInstallation.remove());
    const replicas = await Promise.all(Array.from({ length: 8 }, () => emptyInstallation.startReplica()));
    const operator = await emptyInstallation.createAdminToken();
    for (const { api } of replicas) {
      const profiles = await api.request<unknown[]>(operator, 'GET', '/api/profiles/');
      expect(profiles).toHaveLength(1);
    }
  });

  test(`after access is revoked, the other process reads, lists and finds nothing, ${revokeCycles} times`, async () => {
    const lanes = 10;
    const clients = await Promise.all(Array.from({ length: lanes }, () => createClient(firstReplica.api, admin)));
    const collection = await createCollection(firstReplica.api, admin, 'Weather forecast');
    const find = (api: ApiClient, caller: Credential) =>
      api.request<unknown[]>(caller, 'POST', '/api/vector/search', { query: 'weather' });
    await expect.poll(() => find(secondReplica.api, admin)).toHaveLength(1);

    /** Returns the number of views, out of four, in which the client sees the collection at a replica. */
    const countViews = async (api: ApiClient, { key, token }: Client): Promise<number> => {
      const [read, metadata, list, matches] = await Promise.all([
        api.call(key, 'GET', `/api/collections/${collection}`),
        api.call(key, 'GET', `/api/collections/${collection}/metadata`),
        api.request<unknown[]>(token, 'GET', '/api/collections/'),
        find(api, key),
      ]);
      const reads = [read, metadata].filter(({ status }) => status !== 403).length;
      return reads + list.length + matches.length;
    };
    const visibleViews = { viewsWhileGranted: 0, viewsAfterRevoke: 0 };
    const runCycle = async (client: Client, round: number): Promise<void> => {
      // The replicas take turns at revoking.
      const [writer, reader] =
        round % 2 === 0 ? [firstReplica.api, secondReplica.api] : [secondReplica.api, firstReplica.api];
      const grantPath = `/api/access/clients/${client.id}/collections/${collection}`;
      await writer.request(admin, 'POST', grantPath);
      // Reads all views, to fill every cache of the replica that could be stale afterwards.
      const viewsWhileGranted = await countViews(reader, client);
      await writer.request(admin, 'DELETE', grantPath);
      const viewsAfterRevoke = await countViews(reader, client);
      // Added only after the awaits, because ten clients run concurrently.
      visibleViews.viewsWhileGranted += viewsWhileGranted;
      visibleViews.viewsAfterRevoke += viewsAfterRevoke;
    };
    await Promise.all(
      clients.map(async (client) => {
        for (let round = 0; round < revokeCycles / lanes; round++) await runCycle(client, round);
      }),
    );
    expect(visibleViews).toEqual({ viewsWhileGranted: 4 * revokeCycles, viewsAfterRevoke: 0 });
  });

  test('when a collection is granted to a client 256 times simultaneously, only one grant succeeds', async () => {
    const client = await createClient(firstReplica.api, admin);
    const collection = await createCollection(firstReplica.api, admin, 'Weather');
    const path = `/api/access/clients/${client.id}/collections/${collection}`;
    const responses = await Promise.all(
      Array.from({ length: 256 }, (_, index) =>
        (index % 2 ? firstReplica : secondReplica).api.call(admin, 'POST', path),
      ),
    );
    expect(countByStatus(responses.map(({ status }) => status))).toEqual({ 201: 1, 409: 255 });
    expect(await firstReplica.api.request<unknown[]>(client.token, 'GET', '/api/collections/')).toHaveLength(1);
  });

  test('when a client is approved 64 times simultaneously, only one key pair is created, and it works', async () => {
    const person = await createPerson(firstReplica.api);
    const path = `/api/profiles/${person.id}/approve`;
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (index % 2 ? firstReplica : secondReplica).api.call(admin, 'POST', path),
      ),
    );
    expect(countByStatus(responses.map(({ status }) => status))).toEqual({ 200: 1, 409: 63 });
    const { client_id, client_secret } = responses.find(({ status }) => status === 200)?.body as Record<string, string>;
    const key = { clientId: client_id ?? '', secret: client_secret ?? '' };
    for (const { api } of [firstReplica, secondReplica]) {
      expect((await api.call(key, 'POST', '/api/vector/search', { query: 'weather' })).status).toBe(200);
    }
  });

  test(`both processes together admit exactly a client's limit in every window, over ${limitedRequests} requests`, async () => {
    const client = await createClient(firstReplica.api, admin);
    // The limit is low enough that even a slow machine exceeds it.
    const limit = { allowed: 30, windowMs: 2_000 };
    await firstReplica.api.request(admin, 'POST', '/api/rate-limits/overrides', {
      client_id: client.id,
      allowed_limit: limit.allowed,
      window_seconds: limit.windowMs / 1_000,
    });
    /** A decision of the limiter about a request, made at some time between `sentAt` and `respondedAt`. */
    interface Decision {
      readonly sentAt: number;
      readonly respondedAt: number;
    }
    const admissions: Decision[] = [];
    const rejections: Decision[] = [];
    let requests = 0;
    const sendRequests = async (api: ApiClient): Promise<void> => {
      while (requests < limitedRequests) {
        requests += 1;
        const sentAt = performance.now();
        const { status } = await api.call(client.token, 'GET', '/api/collections/');
        expect([200, 429]).toContain(status);
        (status === 200 ? admissions : rejections).push({ sentAt, respondedAt: performance.now() });
      }
    };
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => sendRequests((index % 2 ? firstReplica : secondReplica).api)),
    );

    // Never over the limit: counts the requests that were certainly admitted within one window.
    const sortedAdmissions = admissions.toSorted((a, b) => a.sentAt - b.sentAt);
    for (const [index, firstAdmission] of sortedAdmissions.entries()) {
      const admissionsInWindow = sortedAdmissions
        .slice(index, index + limit.allowed * 2)
        .filter(({ respondedAt }) => respondedAt - firstAdmission.sentAt < limit.windowMs);
      expect(admissionsInWindow.length).toBeLessThanOrEqual(limit.allowed);
    }
    // Never under the limit: counts the requests that may have been admitted within the window before each rejection.
    // Responses may arrive out of order, so both ends are counted separately.
    const sentTimes = sortedAdmissions.map((decision) => decision.sentAt);
    const responseTimes = admissions.map((decision) => decision.respondedAt).toSorted((a, b) => a - b);
    expect(rejections.length).toBeGreaterThan(0);
    for (const rejection of rejections) {
      const sentBefore = countBelow(sentTimes, rejection.respondedAt);
      const respondedBefore = countBelow(responseTimes, rejection.sentAt - limit.windowMs);
      expect(sentBefore - respondedBefore).toBeGreaterThanOrEqual(limit.allowed);
    }
  });
});

/** Returns how many of the numbers, in ascending order, are below the bound. */
const countBelow = (sorted: readonly number[], bound: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

const countByStatus = (statuses: readonly number[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
