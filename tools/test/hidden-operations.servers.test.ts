import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addCollection } from './clients.ts';
import { prepareSenders, eventually, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation, type Replica } from './installation.ts';
import {
  documentWith,
  isSeen,
  query,
  search,
  textAt,
  toolText,
  untilFound as untilFoundAt,
  usagePath,
  viewNames,
  views,
} from './views.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** A few by default; many if `THOROUGH` is set. */
const cycles = process.env.THOROUGH === '1' ? 2_000 : 60;
const lanes = 6;

describe.skipIf(!postgres || !redis)('several processes on one PostgreSQL and one Redis', () => {
  let installation: Installation;
  let admin: Credential;
  let one: Replica;
  let other: Replica;
  beforeAll(async () => {
    await redis?.flush();
    installation = await createInstallation({
      DATABASE_URL: (await postgres?.newDatabase()) ?? '',
      REDIS_URL: redis?.url ?? '',
      JOBS: 'off',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_DEFAULT: '1000000/60',
    });
    installation.spawnWorker();
    [one, other] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    admin = await installation.admin();
  });
  afterAll(() => installation.remove());

  let people = 0;
  /** A client that sees one collection besides, about something else. */
  const newClient = async (): Promise<Client> =>
    (await prepareSenders(one.api, admin, installation.person, `person-${++people}`)).client;

  const newCollection = (...paths: readonly string[]): Promise<string> =>
    addCollection(one.api, admin, { name: 'Tonwire', openapi_spec: documentWith(...paths) });

  const grant = (client: Client, id: string) =>
    one.api.ask(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);

  const untilFound = (id: string, path: string) => untilFoundAt([one.api, other.api], admin, id, path);

  test(`once a revoke is answered no view at any replica shows an operation, ${cycles} times`, async () => {
    const sought = await untilFound(await newCollection('/tonwire'), '/tonwire');
    const clients = await Promise.all(Array.from({ length: lanes }, newClient));
    for (const client of clients) {
      await grant(client, sought.id);
      await views(one.api, client, sought);
    }
    // What is counted is written every few seconds.
    for (const { key } of clients) {
      await eventually(
        () => textAt(other.api, key, 'GET', usagePath),
        (text) => isSeen(text),
      );
    }
    const seen = { whileGranted: 0, afterRevoke: [] as string[] };
    const cycle = async (client: Client, turn: number): Promise<void> => {
      // The replicas take turns at revoking.
      const [changing, reading] = turn % 2 === 0 ? [one.api, other.api] : [other.api, one.api];
      const path = `/api/access/clients/${client.id}/collections/${sought.id}`;
      if (turn > 0) await changing.ask(admin, 'POST', path);
      const whileGranted = await views(reading, client, sought);
      await changing.ask(admin, 'DELETE', path);
      const afterRevoke = await views(reading, client, sought);
      seen.whileGranted += whileGranted.length;
      seen.afterRevoke.push(...afterRevoke);
    };
    await Promise.all(
      clients.map(async (client) => {
        for (let turn = 0; turn < cycles / lanes; turn++) await cycle(client, turn);
      }),
    );
    expect(seen).toEqual({ whileGranted: viewNames.length * cycles, afterRevoke: [] });
  });

  test('once a collection or a profile is deleted no view at any replica shows its operations', async () => {
    const clients = await Promise.all(Array.from({ length: lanes }, newClient));
    const deleted = await Promise.all(
      clients.map(async (client, lane) => {
        const sought = await untilFound(await newCollection(`/tonwire-${lane}`), `/tonwire-${lane}`);
        await grant(client, sought.id);
        const before = await views(other.api, client, sought);
        const path = lane % 2 === 0 ? `/api/collections/${sought.id}` : `/api/profiles/${client.id}`;
        const { status } = await one.api.call(admin, 'DELETE', path);
        return { status, before, after: await views(other.api, client, sought) };
      }),
    );
    for (const { status, before, after } of deleted) {
      expect({ status, after }).toEqual({ status: 200, after: [] });
      expect(before).toEqual(expect.arrayContaining(viewNames.filter((name) => name !== 'usage')));
    }
  });

  test('a hidden collection with the same operations changes no byte of an answer', async () => {
    const client = await newClient();
    const { id } = await untilFound(await newCollection('/tonwire', '/messages'), '/tonwire');
    await grant(client, id);
    const answers = () =>
      Promise.all(
        [one, other].flatMap(({ api }) => [
          textAt(api, client.key, 'POST', '/api/operations/search', { query }),
          textAt(api, client.key, 'POST', '/api/vector/search', { query }),
          toolText(api, client, 'search_operations', { query }),
          toolText(api, client, 'search_apis', { query }),
          toolText(api, client, 'list_apis', {}),
        ]),
      );
    const before = await answers();
    expect(before.filter(isSeen)).toHaveLength(before.length);
    for (let copy = 0; copy < 5; copy++) await untilFound(await newCollection('/tonwire', '/messages'), '/tonwire');
    expect(await answers()).toEqual(before);
  });

  test('what a new document has is found soon, and what it lacks is gone at once', async () => {
    const client = await newClient();
    const tookMs: number[] = [];
    const { id } = await untilFound(await newCollection('/tonwire-0'), '/tonwire-0');
    await grant(client, id);
    for (let turn = 0; turn < 5; turn++) {
      const sought = await untilFound(id, `/tonwire-${turn}`);
      const next = { openapi_spec: documentWith(`/tonwire-${turn + 1}`) };
      await one.api.ask(admin, 'PUT', `/api/collections/${id}`, next);
      const answeredAt = performance.now();
      const gone = await Promise.all(
        [one, other].flatMap(({ api }) => [
          search(api, client.key).then((found) => JSON.stringify(found)),
          toolText(api, client, 'search_operations', { query }),
          textAt(api, client.key, 'GET', `/api/collections/${id}/operations`),
          textAt(api, client.key, 'GET', `/api/collections/${id}/operations/${sought.key}`),
          textAt(api, client.key, 'GET', `/api/collections/${id}/openapi.json`),
          toolText(api, client, 'describe_operation', { collection_id: id, operation_key: sought.key }),
        ]),
      );
      expect(gone.filter((text) => text.includes(`/tonwire-${turn}`))).toEqual([]);
      await untilFound(id, `/tonwire-${turn + 1}`);
      tookMs.push(Math.round(performance.now() - answeredAt));
      await pause(300);
    }
    console.info(`A changed document's operations were found at both replicas after ${tookMs.join(', ')} ms`);
  });
});
