import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { addCollection, approve, register, type ApprovedClient } from './clients.ts';
import { createInstallation, type Installation, type Replica } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** A few by default; all that the product promises if `THOROUGH` is set. */
const thorough = process.env.THOROUGH === '1';
const revokeCycles = thorough ? 5_000 : 100;
const limitedRequests = thorough ? 100_000 : 5_000;

const document = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };

interface Person {
  readonly id: string;
  readonly token: Credential;
}

type Client = Person & ApprovedClient;

describe.skipIf(!postgres || !redis)('several processes on one PostgreSQL and one Redis', () => {
  const create = async (): Promise<Installation> =>
    createInstallation({
      DATABASE_URL: (await postgres?.newDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      JOBS: 'off',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_DEFAULT: '1000000/60',
    });

  let installation: Installation;
  let one: Replica;
  let other: Replica;
  let admin: Credential;
  beforeAll(async () => {
    installation = await create();
    installation.spawnWorker();
    [one, other] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    admin = await installation.admin();
  });
  afterAll(() => installation.remove());

  let people = 0;
  const newPerson = async (api: ApiClient): Promise<Person> => {
    const uid = `person-${++people}`;
    return { id: await register(api, uid), token: await installation.person(uid) };
  };

  const newClient = async (api: ApiClient, admin: Credential): Promise<Client> => {
    const person = await newPerson(api);
    return { ...person, ...(await approve(api, admin, person.id)) };
  };

  const newCollection = (api: ApiClient, admin: Credential, name: string): Promise<string> =>
    addCollection(api, admin, { name, openapi_spec: document });

  test('eight processes that start at once on an empty database all come up, with one admin', async () => {
    const empty = await create();
    onTestFinished(() => empty.remove());
    const replicas = await Promise.all(Array.from({ length: 8 }, () => empty.startReplica()));
    const operator = await empty.admin();
    for (const { api } of replicas) {
      const profiles = await api.ask<unknown[]>(operator, 'GET', '/api/profiles/');
      expect(profiles).toHaveLength(1);
    }
  });

  test(`once one process has answered a revoke, the other reads, lists and finds nothing, ${revokeCycles} times`, async () => {
    const lanes = 10;
    const clients = await Promise.all(Array.from({ length: lanes }, () => newClient(one.api, admin)));
    const collection = await newCollection(one.api, admin, 'Weather forecast');
    const find = (api: ApiClient, caller: Credential) =>
      api.ask<unknown[]>(caller, 'POST', '/api/vector/search', { query: 'weather' });
    await expect.poll(() => find(other.api, admin)).toHaveLength(1);

    /** In how many of the four views at a replica the client sees the collection. */
    const views = async (api: ApiClient, { key, token }: Client): Promise<number> => {
      const [read, metadata, list, found] = await Promise.all([
        api.call(key, 'GET', `/api/collections/${collection}`),
        api.call(key, 'GET', `/api/collections/${collection}/metadata`),
        api.ask<unknown[]>(token, 'GET', '/api/collections/'),
        find(api, key),
      ]);
      const reads = [read, metadata].filter(({ status }) => status !== 403).length;
      return reads + list.length + found.length;
    };
    const seen = { whileGranted: 0, afterRevoke: 0 };
    const cycle = async (client: Client, turn: number): Promise<void> => {
      // The replicas take turns at revoking.
      const [changing, reading] = turn % 2 === 0 ? [one.api, other.api] : [other.api, one.api];
      const grant = `/api/access/clients/${client.id}/collections/${collection}`;
      await changing.ask(admin, 'POST', grant);
      // All views, to fill every cache of the replica that could be stale afterwards.
      const whileGranted = await views(reading, client);
      await changing.ask(admin, 'DELETE', grant);
      const afterRevoke = await views(reading, client);
      // Added only after the awaits, because ten clients run concurrently.
      seen.whileGranted += whileGranted;
      seen.afterRevoke += afterRevoke;
    };
    await Promise.all(
      clients.map(async (client) => {
        for (let turn = 0; turn < revokeCycles / lanes; turn++) await cycle(client, turn);
      }),
    );
    expect(seen).toEqual({ whileGranted: 4 * revokeCycles, afterRevoke: 0 });
  });

  test('of 256 simultaneous grants of one pair exactly one is made', async () => {
    const client = await newClient(one.api, admin);
    const collection = await newCollection(one.api, admin, 'Weather');
    const path = `/api/access/clients/${client.id}/collections/${collection}`;
    const answers = await Promise.all(
      Array.from({ length: 256 }, (_, n) => (n % 2 ? one : other).api.call(admin, 'POST', path)),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 255 });
    expect(await one.api.ask<unknown[]>(client.token, 'GET', '/api/collections/')).toHaveLength(1);
  });

  test('of 64 simultaneous approvals exactly one makes a key pair, and it is the one that works', async () => {
    const person = await newPerson(one.api);
    const path = `/api/profiles/${person.id}/approve`;
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => (n % 2 ? one : other).api.call(admin, 'POST', path)),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 63 });
    const { client_id, client_secret } = answers.find(({ status }) => status === 200)?.body as Record<string, string>;
    const key = { clientId: client_id ?? '', secret: client_secret ?? '' };
    for (const { api } of [one, other]) {
      expect((await api.call(key, 'POST', '/api/vector/search', { query: 'weather' })).status).toBe(200);
    }
  });

  test(`both processes together let through a client's limit in every window, over ${limitedRequests} requests`, async () => {
    const client = await newClient(one.api, admin);
    // So few that a slow machine sends more.
    const limit = { allowed: 30, windowMs: 2_000 };
    await one.api.ask(admin, 'POST', '/api/rate-limits/overrides', {
      client_id: client.id,
      allowed_limit: limit.allowed,
      window_seconds: limit.windowMs / 1_000,
    });
    /** The limiter decided about the request at some time between these two. */
    interface Decision {
      readonly sent: number;
      readonly answered: number;
    }
    const through: Decision[] = [];
    const refused: Decision[] = [];
    let asked = 0;
    const hammer = async (api: ApiClient): Promise<void> => {
      while (asked < limitedRequests) {
        asked += 1;
        const sent = performance.now();
        const { status } = await api.call(client.token, 'GET', '/api/collections/');
        expect([200, 429]).toContain(status);
        (status === 200 ? through : refused).push({ sent, answered: performance.now() });
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, n) => hammer((n % 2 ? one : other).api)));

    // Never over: counts what was certainly let through within one window.
    const bySent = through.toSorted((a, b) => a.sent - b.sent);
    for (const [index, first] of bySent.entries()) {
      const within = bySent
        .slice(index, index + limit.allowed * 2)
        .filter(({ answered }) => answered - first.sent < limit.windowMs);
      expect(within.length).toBeLessThanOrEqual(limit.allowed);
    }
    // Never under: counts what may have been let through within the window before each refusal. Answers may arrive
    // out of
    // order, so both ends are counted separately.
    const sent = bySent.map((decision) => decision.sent);
    const answered = through.map((decision) => decision.answered).toSorted((a, b) => a - b);
    expect(refused.length).toBeGreaterThan(0);
    for (const refusal of refused) {
      const sentBefore = countBelow(sent, refusal.answered);
      const answeredTooEarly = countBelow(answered, refusal.sent - limit.windowMs);
      expect(sentBefore - answeredTooEarly).toBeGreaterThanOrEqual(limit.allowed);
    }
  });
});

/** How many of these, in ascending order, are below the bound. */
const countBelow = (sorted: readonly number[], bound: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

const tally = (statuses: readonly number[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
