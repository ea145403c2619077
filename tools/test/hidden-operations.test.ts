import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { prepareSenders, eventually, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation, type Replica } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** A few by default; many if `THOROUGH` is set. */
const cycles = process.env.THOROUGH === '1' ? 2_000 : 60;
const lanes = 6;

/** All of its texts name what must not be seen. */
const documentWith = (...paths: readonly string[]) => ({
  openapi: '3.0.3',
  info: { title: 'Tonwire', version: '1' },
  servers: [{ url: 'https://tonwire.example/v1' }],
  paths: Object.fromEntries(
    paths.map((path) => [path, { post: { summary: `Send a text message by ${path}`, responses: {} } }]),
  ),
});
const isSeen = (text: string): boolean => /tonwire/i.test(text);
const query = 'send a text message';

interface Found {
  readonly collection_id: string;
  readonly operation_key: string;
  readonly path: string;
}

/** An operation, with the collection that it belongs to. */
interface Sought {
  readonly id: string;
  readonly key: string;
}

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

  const newCollection = async (...paths: readonly string[]): Promise<string> => {
    const fields = { name: 'Tonwire', openapi_spec: documentWith(...paths) };
    return (await one.api.ask<{ id: string }>(admin, 'POST', '/api/collections/', fields)).id;
  };

  const grant = (client: Client, id: string) =>
    one.api.ask(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);

  const search = (api: ApiClient, caller: Credential) =>
    api.ask<readonly Found[]>(caller, 'POST', '/api/operations/search', { query, k_limit: 100 });

  /** Waits until both replicas find the operation of the collection. */
  const untilFound = async (id: string, path: string): Promise<Sought> => {
    const sought = (found: readonly Found[]) => found.find((each) => each.collection_id === id && each.path === path);
    const lists = [one, other].map(({ api }) =>
      eventually(
        () => search(api, admin),
        (found) => sought(found) !== undefined,
      ),
    );
    const [found = []] = await Promise.all(lists);
    return { id, key: sought(found)?.operation_key ?? '' };
  };

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
  }, 900_000);

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

const usagePath = '/api/usage?by=collection';
const viewNames = [
  'search',
  'list',
  'slice',
  'full slice',
  'tool',
  'openapi',
  'openapi.json',
  'openapi.yaml',
  'search_operations',
  'describe_operation',
  'list_apis',
  'search_apis',
  'get_api',
  'usage',
] as const;

/** Those of the views at a replica in whose answers the client sees the operation, or its collection. */
const views = async (api: ApiClient, client: Client, { id, key }: Sought): Promise<readonly string[]> => {
  const { key: byKey, token } = client;
  const collection = `/api/collections/${id}`;
  const operation = `${collection}/operations/${key}`;
  const texts: Readonly<Record<(typeof viewNames)[number], Promise<string>>> = {
    search: textAt(api, byKey, 'POST', '/api/operations/search', { query }),
    list: textAt(api, token, 'GET', `${collection}/operations`),
    slice: textAt(api, byKey, 'GET', operation),
    'full slice': textAt(api, token, 'GET', `${operation}?detail=full`),
    tool: textAt(api, byKey, 'GET', `${operation}?as=tool`),
    openapi: textAt(api, token, 'GET', `${operation}?as=openapi`),
    'openapi.json': textAt(api, byKey, 'GET', `${collection}/openapi.json`),
    'openapi.yaml': textAt(api, token, 'GET', `${collection}/openapi.yaml`),
    search_operations: toolText(api, client, 'search_operations', { query }),
    describe_operation: toolText(api, client, 'describe_operation', { collection_id: id, operation_key: key }),
    list_apis: toolText(api, client, 'list_apis', {}),
    search_apis: toolText(api, client, 'search_apis', { query }),
    get_api: toolText(api, client, 'get_api', { collection_id: id }),
    usage: textAt(api, byKey, 'GET', usagePath),
  };
  const seen = await Promise.all(viewNames.map(async (name) => isSeen(await texts[name])));
  return viewNames.filter((_, at) => seen[at]);
};

/** The text of any answer. Throws for a failure of the service, which would show nothing either. */
const textAt = async (api: ApiClient, caller: Credential, method: string, path: string, body?: object) => {
  const { status, text } = await api.read(caller, method, path, body);
  if (status >= 500) throw new Error(`${method} ${path} returned ${status}: ${text}`);
  return text;
};

const toolText = (api: ApiClient, { key }: Client, name: string, given: object): Promise<string> =>
  textAt(api, key, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });
