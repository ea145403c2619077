import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '@portico/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { createFixtures, textOf, type Fixtures, type Client, type Subject } from '../subject.ts';
import { clients, type McpClient } from './mcp-clients.ts';
import { performTask } from './scripted-agent.ts';
import { credentialOf, startFakeApiServer, type FakeApiServer } from './fake-apis.ts';

const data = resolve(import.meta.dirname, '../../../../../shared/data');
const isPresent = existsSync(join(data, 'operations/tasks-dev.json'));
if (!isPresent) process.stderr.write(`Skipped: there are no graded tasks at ${data}\n`);

interface Task {
  readonly task: string;
  readonly right: readonly ExpectedOperation[];
}

interface ExpectedOperation {
  readonly doc: string;
  readonly method: string;
  readonly path: string;
  readonly grade: number;
}

/**
 * Tasks of several kinds that can be solved with search; the success rate of search is measured elsewhere. The catalog
 * contains the documents of all tasks, so that each task has irrelevant candidates.
 */
const ids = ['a04', 'a12', 'a20', 'd16', 'b23', 'c05', 'd07', 'd15', 'f10', 'f17'];
const gradedTasks: readonly Task[] = isPresent
  ? (JSON.parse(readFileSync(join(data, 'operations/tasks-dev.json'), 'utf8')) as (Task & { id: string })[]).filter(
      ({ id }) => ids.includes(id),
    )
  : [];

/** Tasks that need more than JSON and one key: forms, files, several keys, other servers, and lists. */
const specialTasks: readonly Task[] = [
  ['Stripe: refund a charge', 'stripe.com.json', 'POST', '/v1/refunds'],
  ['Stripe: upload a file', 'stripe.com.json', 'POST', '/v1/files'],
  ['Twilio: send a text message', 'twilio.com-api.json', 'POST', '/2010-04-01/Accounts/{AccountSid}/Messages.json'],
  ['Plaid: exchange a public token for an access token', 'plaid.com.json', 'POST', '/item/public_token/exchange'],
  ['Datadog: schedule a downtime', 'datadoghq.com-v1.json', 'POST', '/api/v1/downtime'],
  ['Datadog: send logs', 'datadoghq.com-v1.json', 'POST', '/v1/input'],
  ['Box: upload a file', 'box.com.json', 'POST', '/files/content'],
  ['Cloudflare: purge cached content of a zone', 'cloudflare.com.json', 'POST', '/zones/{zone_id}/purge_cache'],
  ['OpenAI: transcribe audio to text', 'openai.com.json', 'POST', '/audio/transcriptions'],
  ['Vonage Verify: check a verification code', 'nexmo.com-verify.json', 'POST', '/check/{format}'],
].map(([task = '', doc = '', method = '', path = '']) => ({ task, right: [{ doc, method, path, grade: 2 }] }));

const tasks = isPresent ? [...gradedTasks, ...specialTasks] : [];
const nameOf = (file: string): string => file.replace(/\.json$/, '');

describe.skipIf(!isPresent)('an agent that uses only the tools', () => {
  const files = [...new Set(tasks.flatMap(({ right }) => right.map(({ doc }) => doc)))];
  const fileOf = new Map<string, string>();
  let fakeApis: FakeApiServer;
  let subject: Subject;
  let fixtures: Fixtures;
  let client: Client;
  let mcp: McpClient;

  /** Adds a real document whose servers are fakes of the API. */
  const add = async (file: string): Promise<void> => {
    const source = JSON.parse(readFileSync(join(data, 'specs', file), 'utf8')) as JsonObject;
    const document = fakeApis.add(nameOf(file), source);
    const id = await fixtures.newCollection({ name: (source['info'] as JsonObject)['title'], openapi_spec: document });
    fileOf.set(id, file);
    await fixtures.grant(client, id);
  };

  beforeAll(async () => {
    fakeApis = await startFakeApiServer();
    subject = await startComposed()({
      http: { specBodyLimitBytes: 33_554_432 },
      settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
    });
    fixtures = await createFixtures(subject);
    client = await fixtures.newClient();
    for (const file of files) await add(file);
    await subject.runJobs();
    mcp = await (clients['revision 2026-07-28'] as NonNullable<(typeof clients)[string]>)(subject.client.baseUrl, {
      'X-Client-ID': client.key.clientId,
      'X-API-Key': client.key.secret,
    });
  });
  afterAll(async () => {
    await mcp.close();
    fakeApis.close();
    await subject.close();
  });

  test('there are twenty tasks', () => expect(tasks).toHaveLength(20));

  test.each(tasks.map((task) => [task.task, task] as const))(
    'performs: %s',
    async (taskText, { right: expectedOperations }) => {
      const outcome = await performTask(
        mcp,
        taskText,
        ({ collection_id, method, path }) =>
          expectedOperations.some(
            (expectedOperation) =>
              expectedOperation.grade === 2 &&
              expectedOperation.doc === fileOf.get(collection_id) &&
              expectedOperation.method === method &&
              expectedOperation.path === path,
          ),
        ({ scheme }) => credentialOf(scheme ?? ''),
      );
      expect(outcome).not.toBeNull();
      expect([outcome?.status, outcome?.responseText]).toEqual([
        200,
        `${outcome?.operation.method} ${outcome?.operation.path}`,
      ]);
      const query = `?pageSize=1&action=api_call&collection_id=${outcome?.operation.collection_id}`;
      const { data: entries } = (await subject.client.call('GET', `/api/audit/${query}`, { token: fixtures.admin }))
        .body;
      expect(entries).toMatchObject([{ message: { endpoint: outcome?.operation.path, status_code: 200 } }]);
    },
  );

  test('a task without a matching API gets a textual result', async () => {
    const { text, isError } = await mcp.call('search_operations', { query: 'zzzz qqqq xxxx' });
    expect(isError).toBe(false);
    expect(textOf(text)).toMatch(/None of the operations that you may use matches/);
  });
});
