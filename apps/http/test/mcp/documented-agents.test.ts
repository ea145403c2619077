import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { createCast, type Cast, type Client, type Subject } from '../subject.ts';

const root = resolve(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');

/** The program on the page that begins with this line. */
const programOf = (firstLine: string): string => {
  const start = page.indexOf(firstLine);
  if (start === -1) throw new Error(`docs/agents.md has no program that begins with ${firstLine}`);
  return page.slice(start, page.indexOf('\n```', start));
};

/** Within the repository, where the official client is installed. */
const temporary = join(root, '.vitest');
mkdirSync(temporary, { recursive: true });

const hasPython = spawnSync('python3', ['--version']).status === 0;
const run = promisify(execFile);

const secret = 'the-key-of-the-messages';
const documentAt = (url: string) => ({
  openapi: '3.0.3',
  info: { title: 'Messages', version: '1' },
  servers: [{ url }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Messages-Key' } } },
  security: [{ key: [] }],
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

interface Seen {
  readonly line: string;
  readonly key: string | string[] | undefined;
  readonly body: unknown;
}

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const part of request) text += String(part);
  return text === '' ? null : (JSON.parse(text) as unknown);
};

describe('the agents of docs/agents.md', () => {
  const folder = mkdtempSync(join(temporary, 'agents-'));
  const seen: Seen[] = [];
  const api = createServer((request, response) => {
    void readJson(request).then((body) => {
      seen.push({ line: `${request.method} ${request.url}`, key: request.headers['x-messages-key'], body });
      response.writeHead(201).end('{"sent":true}');
    });
  });
  let subject: Subject;
  let cast: Cast;
  let client: Client;

  beforeAll(async () => {
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    subject = await startComposed()();
    cast = await createCast(subject);
    client = await cast.newClient();
    const messages = await cast.newCollection({
      name: 'Messages',
      openapi_spec: documentAt(`http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`),
      authentication: { type: 'apiKey', name: 'X-Messages-Key', in: 'header', value: secret },
    });
    await cast.grant(client, messages);
    await subject.runJobs();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    api.close();
    await subject.close();
  });

  const carriesOut = async (program: string, file: string, text: string): Promise<void> => {
    writeFileSync(join(folder, file), text);
    const values = JSON.stringify({ account: 'a/b', dry_run: 'true' });
    const body = JSON.stringify({ to: '+15550100', text: 'Hello' });
    const env = {
      ...process.env,
      PORTICO_URL: subject.client.baseUrl,
      PORTICO_KEY: `${client.key.clientId}.${client.key.secret}`,
    };
    const given = [join(folder, file), 'send a text message', values, body];
    const { stdout } = await run(program, given, { env, timeout: 30_000 });
    expect(stdout).toBe('201 {"sent":true}\n');
    expect(seen.pop()).toEqual({
      line: 'POST /v1/accounts/a%2Fb/messages?dry_run=true',
      key: secret,
      body: { to: '+15550100', text: 'Hello' },
    });
    const path = '/api/audit/?pageSize=1&action=api_call';
    const { data } = (await subject.client.call('GET', path, { token: cast.admin })).body;
    expect(data).toMatchObject([
      { message: { client_id: client.key.clientId, endpoint: '/accounts/{account}/messages', status_code: 201 } },
    ]);
  };

  test('the one in TypeScript finds, reads, calls and records', () =>
    carriesOut(process.execPath, 'agent.mts', programOf('// node agent.mts')));
  test.skipIf(!hasPython)('the one in Python does the same', () =>
    carriesOut('python3', 'agent.py', programOf('# python3 agent.py')),
  );
});
