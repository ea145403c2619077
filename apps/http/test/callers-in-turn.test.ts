import { setTimeout as pause } from 'node:timers/promises';
import type { OperationSlicer, Ports } from '@portico/domain';
import { afterEach, describe, expect, test } from 'vitest';
import type { Reply } from './reply.ts';
import { startInMemory } from './start-in-memory.ts';
import { createCast, textOf, type Client, type Subject } from './subject.ts';

const subjects: Subject[] = [];
afterEach(() => Promise.all(subjects.splice(0).map((subject) => subject.close())));

/** A slice of it takes a tenth of a second: every level doubles what there is to look at. */
const slow = (levels: number) => ({
  openapi: '3.0.3',
  info: { title: 'Slow', version: '1' },
  paths: {
    '/slow': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: Object.fromEntries(
      Array.from({ length: levels }, (_, level) => {
        const below = { $ref: `#/components/schemas/S${level + 1}` };
        return [`S${level}`, level + 1 < levels ? { anyOf: [below, below] } : { type: 'string' }];
      }),
    ),
  },
});
const quick = {
  openapi: '3.0.3',
  info: { title: 'Quick', version: '1' },
  paths: { '/quick': { get: { responses: {} } } },
};

/** Two clients, who may both use both documents. */
const setUp = async (ports: (right: Ports) => Partial<Ports> = () => ({})) => {
  const subject = await startInMemory({ ports });
  subjects.push(subject);
  const cast = await createCast(subject);
  const { call } = subject.client;
  const operationOf = async (document: object) => {
    const id = await cast.newCollection({ openapi_spec: document });
    const listed = await call('GET', `/api/collections/${id}/operations`, { token: cast.admin });
    return { collection: id, key: textOf(listed.list[0]?.operation_key), path: `/api/collections/${id}` };
  };
  const [costly, cheap] = [await operationOf(slow(24)), await operationOf(quick)];
  const [ada, bob] = [await cast.newClient(), await cast.newClient()];
  for (const { id } of [ada, bob])
    for (const { collection } of [costly, cheap])
      await call('POST', `/api/access/clients/${id}/collections/${collection}`, { token: cast.admin });
  const slice = (client: Client, { path, key }: typeof costly, bytes: number) =>
    call('GET', `${path}/operations/${key}?max_bytes=${bytes}`, { key: client.key });
  return { ...subject, cast, costly, cheap, ada, bob, slice };
};

/** Holds what a port does until it is let go. */
const held = () => {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const pass = () => (isOpen ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)));
  const letGo = () => {
    isOpen = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { waiting, pass, letGo };
};

/** Slices that wait at the gate before they are cut. */
const slicingBehind =
  (gate: ReturnType<typeof held>) =>
  ({ slicer }: Ports) => ({
    slicer: {
      slice: async (...asked) => {
        await gate.pass();
        return slicer.slice(...asked);
      },
    } satisfies OperationSlicer,
  });

const tooMany = [429, { detail: 'Rate limit exceeded', retry_after: 1 }, '1'];
const outcomeOf = ({ status, body, headers }: Reply) => [status, body, headers['retry-after']];

describe('of one caller', () => {
  test('one slice is made and two wait; a further one is refused, over HTTP and MCP, until one is done', async () => {
    const gate = held();
    const { slice, ada, bob, cheap, client } = await setUp(slicingBehind(gate));
    const others = slice(bob, cheap, 1_024);
    const first = slice(ada, cheap, 1_024);
    await expect.poll(() => gate.waiting.length).toBe(2);
    // They are refused or not before they wait: the third of these is one too many.
    const more = [2_048, 4_096, 8_192].map((bytes) => slice(ada, cheap, bytes));
    expect(outcomeOf(await Promise.race(more))).toEqual(tooMany);
    const params = {
      name: 'describe_operation',
      arguments: { collection_id: cheap.collection, operation_key: cheap.key },
    };
    const told = await client.call('POST', '/mcp', {
      key: ada.key,
      headers: ['MCP-Protocol-Version', '2025-06-18'],
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    expect([told.status, told.body.result]).toMatchObject([
      200,
      { isError: true, content: [{ text: 'Too many calls at once. Call again in 1 s, one after the other.' }] },
    ]);
    gate.letGo();
    expect((await others).status).toBe(200);
    expect((await Promise.all([first, ...more])).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
    expect((await slice(ada, cheap, 16_384)).status).toBe(200);
  });

  test('whoever leaves takes along what waits', async () => {
    const gate = held();
    const { slice, ada, cheap, client } = await setUp(slicingBehind(gate));
    const first = slice(ada, cheap, 1_024);
    await expect.poll(() => gate.waiting.length).toBe(1);
    const leaving = new AbortController();
    const left = [2_048, 4_096].map((bytes) =>
      fetch(`${client.baseUrl}${cheap.path}/operations/${cheap.key}?max_bytes=${bytes}`, {
        headers: { 'X-Client-ID': ada.key.clientId, 'X-API-Key': ada.key.secret },
        signal: leaving.signal,
      }).catch(() => null),
    );
    await expect.poll(async () => outcomeOf(await slice(ada, cheap, 8_192))).toEqual(tooMany);
    leaving.abort();
    await Promise.all(left);
    // As soon as the service notices, the next one waits instead of being refused.
    const asked: Promise<Reply>[] = [];
    const isRefused = async (): Promise<boolean> => {
      const asking = slice(ada, cheap, 8_192);
      asked.push(asking);
      return (await Promise.race<Reply | null>([asking, pause(200, null)]))?.status === 429;
    };
    await expect.poll(isRefused).toBe(false);
    gate.letGo();
    expect([(await first).status, (await asked.at(-1))?.status]).toEqual([200, 200]);
  });

  test('one document is written as YAML and two wait; a further one is refused', async () => {
    const gate = held();
    const writing = ({ documents }: Ports) => ({
      documents: {
        readMember: documents.readMember.bind(documents),
        readFile: documents.readFile.bind(documents),
        readOperations: documents.readOperations.bind(documents),
        yamlText: async (...asked: Parameters<typeof documents.yamlText>) => {
          await gate.pass();
          return documents.yamlText(...asked);
        },
      },
    });
    const { ada, cheap, client } = await setUp(writing);
    const yaml = () => client.call('GET', `${cheap.path}/openapi.yaml`, { key: ada.key });
    const four = Array.from({ length: 4 }, yaml);
    expect(outcomeOf(await Promise.race(four))).toEqual(tooMany);
    gate.letGo();
    expect((await Promise.all(four)).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
  });
});

test('a caller who asks for many slow slices does not keep another from its own', async () => {
  const { slice, ada, bob, costly, cheap } = await setUp();
  await slice(bob, cheap, 1_024);
  let answered = 0;
  const flood = Array.from({ length: 40 }, async (_, at) => {
    const { status } = await slice(ada, costly, 65_535 - at);
    if (status === 200) answered++;
    return status;
  });
  await Promise.race(flood);
  const { status } = await slice(bob, cheap, 2_048);
  expect([status, answered < 4]).toEqual([200, true]);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([200, 429]));
});
