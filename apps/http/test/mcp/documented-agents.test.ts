import { execFile, spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { createFixtures, expectStatus, type Fixtures, type Client, type Subject } from '../subject.ts';

const root = resolve(import.meta.dirname, '../../../..');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const execute = promisify(execFile);

const secret = 'the-key-of-the-messages';
/** A text that the API rejects. */
const rejectedText = 'Unwanted';
const documentAt = (url: string) => ({
  openapi: '3.0.3',
  info: { title: 'Messages', version: '1' },
  servers: [{ url }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Messages-Key' },
      sender: { type: 'apiKey', in: 'query', name: 'sender' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
  },
  security: [{ key: [], sender: [], session: [] }],
  paths: {
    '/accounts/{account}/messages': {
      post: {
        operationId: 'sendMessage',
        summary: 'Send a text message',
        parameters: [
          { name: 'account', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'dry_run', in: 'query', schema: { type: 'boolean' } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['to', 'text'],
                properties: { to: { type: 'string' }, text: { type: 'string' } },
              },
            },
          },
        },
        responses: { '201': { description: 'Sent' } },
      },
    },
  },
});

interface ReceivedRequest {
  readonly line: string;
  readonly key: string | string[] | undefined;
  readonly cookie: string | undefined;
  readonly body: unknown;
}

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const part of request) text += String(part);
  return text === '' ? null : (JSON.parse(text) as unknown);
};

const ways = [
  ['a catalog that makes no calls', false],
  ['a catalog that makes calls', true],
] as const;

describe.each(ways)('the agents of docs/agents, with %s', (_way, makesCalls) => {
  const receivedRequests: ReceivedRequest[] = [];
  const api = createServer((request, response) => {
    void readJson(request).then((body) => {
      const { 'x-messages-key': key, cookie } = request.headers;
      receivedRequests.push({ line: `${request.method} ${request.url}`, key, cookie, body });
      const isSent = (body as { readonly text: string }).text !== rejectedText;
      response.writeHead(isSent ? 201 : 422).end(JSON.stringify({ sent: isSent }));
    });
  });
  let subject: Subject;
  let fixtures: Fixtures;
  let client: Client;
  let messages: string;

  /** Stores the credential of the API, or removes it. */
  const storeCredential = async (value: string | null): Promise<void> => {
    const json = {
      authentication: value === null ? null : { type: 'apiKey', name: 'X-Messages-Key', in: 'header', value },
    };
    const path = `/api/collections/${messages}`;
    expectStatus(await subject.client.call('PUT', path, { token: fixtures.admin, json }), 200);
  };

  beforeAll(async () => {
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    const variables = { CALLS: makesCalls ? 'on' : 'off', CALL_NETWORKS: '127.0.0.0/8' };
    subject = await startComposed(() => Promise.resolve(variables))();
    fixtures = await createFixtures(subject);
    client = await fixtures.newClient();
    messages = await fixtures.newCollection({
      name: 'Messages',
      openapi_spec: documentAt(`http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`),
    });
    await storeCredential(secret);
    for (const scheme of ['sender', 'session']) {
      const path = `/api/collections/${messages}/credentials/${scheme}`;
      const json = { value: `${scheme}&1` };
      expectStatus(await subject.client.call('PUT', path, { token: fixtures.admin, json }), 200);
    }
    await fixtures.grant(client, messages);
    await subject.runJobs();
  });
  afterAll(async () => {
    api.close();
    await subject.close();
  });

  const run = async (program: string, file: string, text: string): Promise<string> => {
    const values = JSON.stringify({ account: 'a/b', dry_run: 'true', to: '+15550100', text });
    const env = {
      ...process.env,
      PORTICO_URL: subject.client.baseUrl,
      PORTICO_KEY: `${client.key.clientId}.${client.key.secret}`,
    };
    const args = [join(root, 'docs/agents', file), 'send a text message', values];
    return (await execute(program, args, { env, timeout: 30_000 })).stdout;
  };

  const readLastRecordedCall = async (): Promise<unknown> => {
    const path = `/api/audit/?pageSize=1&${makesCalls ? 'source=system&action=collection.call' : 'action=api_call'}`;
    return (await subject.client.call('GET', path, { token: fixtures.admin })).body.data;
  };
  const createExpectedEntry = (status: number) => [
    {
      message: makesCalls
        ? { actor: client.email, path: '/accounts/{account}/messages', status }
        : { client_id: client.key.clientId, endpoint: '/accounts/{account}/messages', status_code: status },
    },
  ];

  describe.each([
    ['TypeScript', process.execPath, 'agent.mts'],
    ['Python', hasPython ? 'python3' : null, 'agent.py'],
  ] as const)('the agent in %s', (_language, program, file) => {
    test.skipIf(program === null)('searches, reads, calls and records', async () => {
      expect(await run(program ?? '', file, 'Hello')).toBe('201 {"sent":true}\n');
      expect(receivedRequests.pop()).toEqual({
        line: 'POST /v1/accounts/a%2Fb/messages?dry_run=true&sender=sender%261',
        key: secret,
        cookie: 'session=session&1',
        body: { to: '+15550100', text: 'Hello' },
      });
      expect(await readLastRecordedCall()).toMatchObject(createExpectedEntry(201));
    });

    test.skipIf(program === null)('without a stored credential, sends none, or says that it is missing', async () => {
      await storeCredential(null);
      try {
        if (makesCalls) {
          await expect(run(program ?? '', file, 'Hello')).rejects.toThrow(/key: none is stored for you/);
          return;
        }
        expect(await run(program ?? '', file, 'Hello')).toBe('201 {"sent":true}\n');
        expect(receivedRequests.pop()?.key).toBeUndefined();
      } finally {
        await storeCredential(secret);
      }
    });

    test.skipIf(program === null)('also records a call that the API rejects', async () => {
      expect(await run(program ?? '', file, rejectedText)).toBe('422 {"sent":false}\n');
      expect(await readLastRecordedCall()).toMatchObject(createExpectedEntry(422));
    });
  });
});
