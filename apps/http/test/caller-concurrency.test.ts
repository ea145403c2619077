import { setTimeout as pause } from 'node:timers/promises';
import type { OperationSlicer, Ports } from '@portico/domain';
import { afterEach, describe, expect, test } from 'vitest';
import type { Reply } from './reply.ts';
import { startInMemory } from './start-in-memory.ts';
import { createFixtures, textOf, type Client, type Subject } from './subject.ts';

const subjects: Subject[] = [];
afterEach(() => Promise.all(subjects.splice(0).map((subject) => subject.close())));

/** Returns a document whose slice takes a tenth of a second: each level doubles the number of schemas. */
const slowDocument = (levels: number) => ({
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
        const nextLevel = { $ref: `#/components/schemas/S${level + 1}` };
        return [`S${level}`, level + 1 < levels ? { anyOf: [nextLevel, nextLevel] } : { type: 'string' }];
      }),
    ),
  },
});
const quickDocument = {
  openapi: '3.0.3',
  info: { title: 'Quick', version: '1' },
  paths: { '/quick': { get: { responses: {} } } },
};

/** Starts a service with two clients and two documents; both clients have access to both. */
const setUp = async (ports: (original: Ports) => Partial<Ports> = () => ({})) => {
  const subject = await startInMemory({ ports });
  subjects.push(subject);
  const fixtures = await createFixtures(subject);
  const { call } = subject.client;
  const operationOf = async (document: object) => {
    const id = await fixtures.newCollection({ openapi_spec: document });
    const operations = await call('GET', `/api/collections/${id}/operations`, { token: fixtures.admin });
    return { collection: id, key: textOf(operations.list[0]?.operation_key), path: `/api/collections/${id}` };
  };
  const [costly, cheap] = [await operationOf(slowDocument(24)), await operationOf(quickDocument)];
  const [ada, bob] = [await fixtures.newClient(), await fixtures.newClient()];
  for (const { id } of [ada, bob])
    for (const { collection } of [costly, cheap])
      await call('POST', `/api/access/clients/${id}/collections/${collection}`, { token: fixtures.admin });
  const slice = (client: Client, { path, key }: typeof costly, bytes: number) =>
    call('GET', `${path}/operations/${key}?max_bytes=${bytes}`, { key: client.key });
  return { ...subject, fixtures, costly, cheap, ada, bob, slice };
};

/** Blocks the calls of a port until the gate is opened. */
const createGate = () => {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const pass = () => (isOpen ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)));
  const open = () => {
    isOpen = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { waiting, pass, open };
};

/** Replaces the slicer with one that waits at the gate. */
const gateSlicer =
  (gate: ReturnType<typeof createGate>) =>
  ({ slicer }: Ports) => ({
    slicer: {
      slice: async (...parameters) => {
        await gate.pass();
        return slicer.slice(...parameters);
      },
      prepare: (...parameters) => slicer.prepare(...parameters),
    } satisfies OperationSlicer,
  });

const tooManyReply = [429, { detail: 'Rate limit exceeded', retry_after: 1 }, '1'];
const outcomeOf = ({ status, body, headers }: Reply) => [status, body, headers['retry-after']];

describe('requests of one caller', () => {
  test('cut one slice while two wait; until one is done, a fourth is rejected, over HTTP and MCP', async () => {
    const gate = createGate();
    const { slice, ada, bob, cheap, client } = await setUp(gateSlicer(gate));
    const otherReply = slice(bob, cheap, 1_024);
    const firstReply = slice(ada, cheap, 1_024);
    await expect.poll(() => gate.waiting.length).toBe(2);
    // A request over the limit is rejected before it waits: the third of these is over the limit.
    const moreReplies = [2_048, 4_096, 8_192].map((bytes) => slice(ada, cheap, bytes));
    expect(outcomeOf(await Promise.race(moreReplies))).toEqual(tooManyReply);
    const params = {
      name: 'describe_operation',
      arguments: { collection_id: cheap.collection, operation_key: cheap.key },
    };
    const reply = await client.call('POST', '/mcp', {
      key: ada.key,
      headers: ['MCP-Protocol-Version', '2025-06-18'],
      json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    expect([reply.status, reply.body.result]).toMatchObject([
      200,
      { isError: true, content: [{ text: 'Too many concurrent calls. Call again in 1 s, one call at a time.' }] },
    ]);
    gate.open();
    expect((await otherReply).status).toBe(200);
    expect((await Promise.all([firstReply, ...moreReplies])).map(({ status }) => status).toSorted()).toEqual([
      200, 200, 200, 429,
    ]);
    expect((await slice(ada, cheap, 16_384)).status).toBe(200);
  });

  test('are cancelled if the client disconnects while they wait', async () => {
    const gate = createGate();
    const { slice, ada, cheap, client } = await setUp(gateSlicer(gate));
    const firstReply = slice(ada, cheap, 1_024);
    await expect.poll(() => gate.waiting.length).toBe(1);
    const clientAbort = new AbortController();
    const pendingRequests = [2_048, 4_096].map((bytes) =>
      fetch(`${client.baseUrl}${cheap.path}/operations/${cheap.key}?max_bytes=${bytes}`, {
        headers: { 'X-Client-ID': ada.key.clientId, 'X-API-Key': ada.key.secret },
        signal: clientAbort.signal,
      }).catch(() => null),
    );
    await expect.poll(async () => outcomeOf(await slice(ada, cheap, 8_192))).toEqual(tooManyReply);
    clientAbort.abort();
    await Promise.all(pendingRequests);
    // When the service notices that, the next request waits instead of being rejected.
    const replies: Promise<Reply>[] = [];
    const isRejected = async (): Promise<boolean> => {
      const reply = slice(ada, cheap, 8_192);
      replies.push(reply);
      return (await Promise.race<Reply | null>([reply, pause(200, null)]))?.status === 429;
    };
    await expect.poll(isRejected).toBe(false);
    gate.open();
    expect([(await firstReply).status, (await replies.at(-1))?.status]).toEqual([200, 200]);
  });

  test('convert one document to YAML while two wait; a fourth is rejected', async () => {
    const gate = createGate();
    const gateDocuments = ({ documents }: Ports) => ({
      documents: {
        readMember: documents.readMember.bind(documents),
        readFile: documents.readFile.bind(documents),
        convertToJson: documents.convertToJson.bind(documents),
        readOperations: documents.readOperations.bind(documents),
        readSecuritySchemes: documents.readSecuritySchemes.bind(documents),
        readOrigins: documents.readOrigins.bind(documents),
        readStored: documents.readStored.bind(documents),
        compare: documents.compare.bind(documents),
        convertToYaml: async (...parameters: Parameters<typeof documents.convertToYaml>) => {
          await gate.pass();
          return documents.convertToYaml(...parameters);
        },
      },
    });
    const { ada, cheap, client } = await setUp(gateDocuments);
    const requestYaml = () => client.call('GET', `${cheap.path}/openapi.yaml`, { key: ada.key });
    const requests = Array.from({ length: 4 }, requestYaml);
    expect(outcomeOf(await Promise.race(requests))).toEqual(tooManyReply);
    gate.open();
    expect((await Promise.all(requests)).map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
  });
});

test('a caller that requests many slow slices does not block other callers', async () => {
  const { slice, ada, bob, costly, cheap } = await setUp();
  await slice(bob, cheap, 1_024);
  let answeredCount = 0;
  const floodReplies = Array.from({ length: 40 }, async (_, index) => {
    const { status } = await slice(ada, costly, 65_535 - index);
    if (status === 200) answeredCount++;
    return status;
  });
  await Promise.race(floodReplies);
  const { status } = await slice(bob, cheap, 2_048);
  expect([status, answeredCount < 4]).toEqual([200, true]);
  expect(new Set(await Promise.all(floodReplies))).toEqual(new Set([200, 429]));
});
