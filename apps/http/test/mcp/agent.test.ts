import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '@portico/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { createCast, expectStatus, textOf, type Cast, type Client, type Subject } from '../subject.ts';
import { clients, type McpClient } from './clients.ts';
import { carryOut } from './scripted-agent.ts';
import { startStandIns, type StandIns } from './stand-in.ts';

const data = resolve(import.meta.dirname, '../../../../../shared/data');
const isPresent = existsSync(join(data, 'operations/tasks-dev.json'));
if (!isPresent) process.stderr.write(`Skipped: there are no judged tasks at ${data}\n`);

interface Task {
  readonly id: string;
  readonly task: string;
  readonly right: readonly {
    readonly doc: string;
    readonly method: string;
    readonly path: string;
    readonly grade: number;
  }[];
}

/**
 * Of several kinds, of those that search can answer: how many it can is measured elsewhere. The documents of all are in
 * the catalog, so each is a distraction for the others.
 */
const ids = ['a04', 'a12', 'a20', 'd16', 'b23', 'c05', 'd07', 'd15', 'f10', 'f17'];
const tasks: readonly Task[] = isPresent
  ? (JSON.parse(readFileSync(join(data, 'operations/tasks-dev.json'), 'utf8')) as Task[]).filter(({ id }) =>
      ids.includes(id),
    )
  : [];
const nameOf = (file: string): string => file.replace(/\.json$/, '');

describe.skipIf(!isPresent)('an agent that has nothing but the tools', () => {
  const files = [...new Set(tasks.flatMap(({ right }) => right.map(({ doc }) => doc)))];
  const fileOf = new Map<string, string>();
  let standIns: StandIns;
  let subject: Subject;
  let cast: Cast;
  let client: Client;
  let mcp: McpClient;

  /** Adds a real document that points to its stand-in, with a credential if it says how one is sent. */
  const add = async (file: string): Promise<void> => {
    const read = JSON.parse(readFileSync(join(data, 'specs', file), 'utf8')) as JsonObject;
    const document: JsonObject = { ...read, servers: [{ url: standIns.addressOf(nameOf(file)) }] };
    const id = await cast.newCollection({ name: (read['info'] as JsonObject)['title'], openapi_spec: document });
    fileOf.set(id, file);
    const { authentication } = (
      await subject.client.call('GET', `/api/collections/${id}/metadata`, { token: cast.admin })
    ).body as { readonly authentication: { readonly type: string; readonly name: string; readonly in?: 'header' } };
    const { type, name, in: place = 'header' } = authentication;
    const value = `credential-of-${nameOf(file)}`;
    if (type !== 'none') {
      const json = { authentication: { type, name, value, ...(type === 'apiKey' ? { in: place } : {}) } };
      expectStatus(await subject.client.call('PUT', `/api/collections/${id}`, { token: cast.admin, json }), 200);
    }
    const shown = { apiKey: value, bearer: `Bearer ${value}`, basic: `Basic ${value}` }[type];
    standIns.add(nameOf(file), { document, expected: shown === undefined ? null : { in: place, name, value: shown } });
    await cast.grant(client, id);
  };

  beforeAll(async () => {
    standIns = await startStandIns();
    subject = await startComposed()({
      http: { specBodyLimitBytes: 33_554_432 },
      settings: { defaultLimit: { allowed: 10_000, windowSeconds: 60 } },
    });
    cast = await createCast(subject);
    client = await cast.newClient();
    for (const file of files) await add(file);
    await subject.runJobs();
    mcp = await (clients['revision 2026-07-28'] as NonNullable<(typeof clients)[string]>)(subject.client.baseUrl, {
      'X-Client-ID': client.key.clientId,
      'X-API-Key': client.key.secret,
    });
  });
  afterAll(async () => {
    await mcp.close();
    standIns.close();
    await subject.close();
  });

  test('ten tasks are judged', () => expect(tasks).toHaveLength(10));

  test.each(tasks.map((task) => [task.task, task] as const))('carries out: %s', async (words, { right }) => {
    const done = await carryOut(mcp, words, ({ collection_id, method, path }) =>
      right.some(
        (one) => one.grade === 2 && one.doc === fileOf.get(collection_id) && one.method === method && one.path === path,
      ),
    );
    expect(done).not.toBeNull();
    expect([done?.status, done?.answer]).toEqual([200, `${done?.chosen.method} ${done?.chosen.path}`]);
    const query = `?pageSize=1&action=api_call&collection_id=${done?.chosen.collection_id}`;
    const { data: entries } = (await subject.client.call('GET', `/api/audit/${query}`, { token: cast.admin })).body;
    expect(entries).toMatchObject([{ message: { endpoint: done?.chosen.path, status_code: 200 } }]);
  });

  test('a task that no API does is answered in words', async () => {
    const { text, isError } = await mcp.call('search_operations', { query: 'zzzz qqqq xxxx' });
    expect(isError).toBe(false);
    expect(textOf(text)).toMatch(/fits/);
  });
});
