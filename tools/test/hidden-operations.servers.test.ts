import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addCollection } from './clients.ts';
import { prepareCallers, pollUntil, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation, type Replica } from './installation.ts';
import {
  documentWith,
  mentionsTarget,
  query,
  search,
  textAt,
  readToolText,
  waitUntilFound as waitUntilFoundAt,
  usagePath,
  viewNames,
  listVisibleViews,
} from './views.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** The number of cycles: a few by default, many if `THOROUGH` is set. */
const cycles = process.env.THOROUGH === '1' ? 2_000 : 60;
const laneCount = 6;

describe.skipIf(!postgres || !redis)('several processes on one PostgreSQL and one Redis', () => {
  let installation: Installation;
  let admin: Credential;
  let firstReplica: Replica;
  let secondReplica: Replica;
  beforeAll(async () => {
    await redis?.flush();
    installation = await createInstallation({
      DATABASE_URL: (await postgres?.createDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      JOBS: 'off',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_DEFAULT: '1000000/60',
    });
    installation.spawnWorker();
    [firstReplica, secondReplica] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    admin = await installation.createAdminToken();
  });
  afterAll(() => installation.remove());

  let personCount = 0;
  /** Creates a client who may also see a collection about another subject. */
  const createClient = async (): Promise<Client> =>
    (await prepareCallers(firstReplica.api, admin, installation.createToken, `person-${++personCount}`)).client;

  const createCollection = (...paths: readonly string[]): Promise<string> =>
    addCollection(firstReplica.api, admin, { name: 'Tonwire', openapi_spec: documentWith(...paths) });

  const grant = (client: Client, id: string) =>
    firstReplica.api.request(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);

  const waitUntilFound = (id: string, path: string) =>
    waitUntilFoundAt([firstReplica.api, secondReplica.api], admin, id, path);

  test(`after access is revoked, no view on any replica shows the operation, ${cycles} times`, async () => {
    const operation = await waitUntilFound(await createCollection('/tonwire'), '/tonwire');
    const clients = await Promise.all(Array.from({ length: laneCount }, createClient));
    for (const client of clients) {
      await grant(client, operation.id);
      await listVisibleViews(firstReplica.api, client, operation);
    }
    // Usage counts are written every few seconds.
    for (const { key } of clients) {
      await pollUntil(
        () => textAt(secondReplica.api, key, 'GET', usagePath),
        (text) => mentionsTarget(text),
      );
    }
    const viewResults = { viewsWhileGranted: 0, viewsAfterRevoke: [] as string[] };
    const runCycle = async (client: Client, round: number): Promise<void> => {
      // The replicas take turns at revoking.
      const [writer, reader] =
        round % 2 === 0 ? [firstReplica.api, secondReplica.api] : [secondReplica.api, firstReplica.api];
      const path = `/api/access/clients/${client.id}/collections/${operation.id}`;
      if (round > 0) await writer.request(admin, 'POST', path);
      const viewsWhileGranted = await listVisibleViews(reader, client, operation);
      await writer.request(admin, 'DELETE', path);
      const viewsAfterRevoke = await listVisibleViews(reader, client, operation);
      viewResults.viewsWhileGranted += viewsWhileGranted.length;
      viewResults.viewsAfterRevoke.push(...viewsAfterRevoke);
    };
    await Promise.all(
      clients.map(async (client) => {
        for (let round = 0; round < cycles / laneCount; round++) await runCycle(client, round);
      }),
    );
    expect(viewResults).toEqual({ viewsWhileGranted: viewNames.length * cycles, viewsAfterRevoke: [] });
  });

  test('after a collection or a profile is deleted, no view on any replica shows the operations', async () => {
    const clients = await Promise.all(Array.from({ length: laneCount }, createClient));
    const results = await Promise.all(
      clients.map(async (client, lane) => {
        const operation = await waitUntilFound(await createCollection(`/tonwire-${lane}`), `/tonwire-${lane}`);
        await grant(client, operation.id);
        const before = await listVisibleViews(secondReplica.api, client, operation);
        const path = lane % 2 === 0 ? `/api/collections/${operation.id}` : `/api/profiles/${client.id}`;
        const { status } = await firstReplica.api.call(admin, 'DELETE', path);
        return { status, before, after: await listVisibleViews(secondReplica.api, client, operation) };
      }),
    );
    for (const { status, before, after } of results) {
      expect({ status, after }).toEqual({ status: 200, after: [] });
      expect(before).toEqual(expect.arrayContaining(viewNames.filter((name) => name !== 'usage')));
    }
  });

  test('a hidden collection with the same operations changes no byte of a response', async () => {
    const client = await createClient();
    const { id } = await waitUntilFound(await createCollection('/tonwire', '/messages'), '/tonwire');
    await grant(client, id);
    const readResponses = () =>
      Promise.all(
        [firstReplica, secondReplica].flatMap(({ api }) => [
          textAt(api, client.key, 'POST', '/api/operations/search', { query }),
          textAt(api, client.key, 'POST', '/api/vector/search', { query }),
          readToolText(api, client, 'search_operations', { query }),
          readToolText(api, client, 'search_apis', { query }),
          readToolText(api, client, 'list_apis', {}),
        ]),
      );
    const before = await readResponses();
    expect(before.filter(mentionsTarget)).toHaveLength(before.length);
    for (let copy = 0; copy < 5; copy++)
      await waitUntilFound(await createCollection('/tonwire', '/messages'), '/tonwire');
    expect(await readResponses()).toEqual(before);
  });

  test('operations of a new document are found soon, and removed operations disappear immediately', async () => {
    const client = await createClient();
    const delaysMs: number[] = [];
    const { id } = await waitUntilFound(await createCollection('/tonwire-0'), '/tonwire-0');
    await grant(client, id);
    for (let round = 0; round < 5; round++) {
      const operation = await waitUntilFound(id, `/tonwire-${round}`);
      const changes = { openapi_spec: documentWith(`/tonwire-${round + 1}`) };
      await firstReplica.api.request(admin, 'PUT', `/api/collections/${id}`, changes);
      const respondedAt = performance.now();
      const responses = await Promise.all(
        [firstReplica, secondReplica].flatMap(({ api }) => [
          search(api, client.key).then((results) => JSON.stringify(results)),
          readToolText(api, client, 'search_operations', { query }),
          textAt(api, client.key, 'GET', `/api/collections/${id}/operations`),
          textAt(api, client.key, 'GET', `/api/collections/${id}/operations/${operation.key}`),
          textAt(api, client.key, 'GET', `/api/collections/${id}/openapi.json`),
          readToolText(api, client, 'describe_operation', { collection_id: id, operation_key: operation.key }),
        ]),
      );
      expect(responses.filter((text) => text.includes(`/tonwire-${round}`))).toEqual([]);
      await waitUntilFound(id, `/tonwire-${round + 1}`);
      delaysMs.push(Math.round(performance.now() - respondedAt));
      await pause(300);
    }
    console.info(`A changed document's operations were found at both replicas after ${delaysMs.join(', ')} ms`);
  });
});
