import { beforeAll, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { addClient, addCollection, type ApprovedClient } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';
import type { ToolRun } from './run-tool.ts';

const installation = provideInstallation(beforeAll, { CALLS: 'on' });
let remoteVariables: Readonly<Record<string, string>>;
let api: ApiClient;
let client: ApprovedClient;
let callPath: string;

const openapi_spec = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  servers: [{ url: 'https://orders.invalid' }],
  security: [],
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'number' } }],
      get: { operationId: 'cancelOrder', responses: {} },
      delete: { responses: {} },
    },
  },
};
const email = 'ann@example.com';

beforeAll(async () => {
  ({ api } = await installation.compose());
  const admin: Credential = await installation.createAdminToken();
  remoteVariables = { PORTICO_SERVER: api.address, PORTICO_TOKEN: (admin as { token: string }).token };
  client = await addClient(api, admin, 'ann');
  const id = await addCollection(api, admin, { name: 'Orders', description: 'Of a shop', openapi_spec });
  await api.request(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);
  const operations = await api.request<{ method: string; operation_key: string }[]>(
    admin,
    'GET',
    `/api/collections/${id}/operations`,
  );
  const key = operations.find(({ method }) => method === 'DELETE')?.operation_key;
  callPath = `/api/collections/${id}/operations/${key}/call`;
});

const [locally, remotely] = [
  (...args: readonly string[]): Promise<ToolRun> => installation.runTool(...args),
  (...args: readonly string[]): Promise<ToolRun> => installation.runToolWith(remoteVariables, ...args),
];
const exactArguments = '{"id":12345678901234567890.10}';

/** Asks for a call, and returns its id. */
const hold = async (text = exactArguments): Promise<string> => {
  const response = await fetch(api.address + callPath, {
    method: 'POST',
    headers: { 'X-API-Key': `${client.key.clientId}.${client.key.secret}`, 'Content-Type': 'application/json' },
    body: `{"arguments": ${text}}`,
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { call_id: string }).call_id;
};

test.each([
  ['in this process', locally],
  ['over HTTP', remotely],
])('the rule of a grant is changed, part by part, %s', async (_way, run) => {
  const readOnly = await run('access', 'rule', email, 'Orders', '--operations', 'read-only', '--ask', '');
  expect(readOnly).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^changed {2}ann@example\.com {2}Orders: read-only operations \(1\)\n/) as string,
  });
  expect(readOnly.stdout).toMatch(/sound like a change[^]*GET \/orders\/\{id\}\n$/);
  const list = 'delete /orders/{id},GET /orders/{id}';
  expect(await run('access', 'rule', email, 'Orders', '--operations', list)).toEqual({
    code: 0,
    stdout: `changed  ${email}  Orders: 2 operations
`,
    stderr: '',
  });
  const json = await run(
    '--json',
    'access',
    'rule',
    email,
    'Orders',
    '--ask',
    'DELETE /orders/{id}',
    '--operations',
    'all',
  );
  expect(JSON.parse(json.stdout)).toMatchObject({
    outcome: 'changed',
    email,
    operations: 'all',
    except: [],
    ask: [expect.any(String)],
  });
});

test.each([
  ['in this process', locally],
  ['over HTTP', remotely],
])('a waiting call is listed, shown with its exact arguments, and decided, %s', async (_way, run) => {
  await run('access', 'rule', email, 'Orders', '--operations', 'all', '--ask', 'DELETE /orders/{id}');
  const id = await hold();
  expect((await run('calls', 'list')).stdout).toMatch(
    new RegExp(`^${id} .* waiting +${email} +Orders +DELETE /orders/\\{id\\}\n$`),
  );
  expect((await run('calls', 'show', email)).stdout).toBe(
    `waiting  ${email}  Orders  DELETE /orders/{id}\n${exactArguments}\n`,
  );
  const json = (await run('--json', 'calls', 'show', id)).stdout;
  expect(json).toContain('12345678901234567890.10');
  expect((await run('calls', 'approve', email)).stdout).toBe(`approved  ${email}  Orders  DELETE /orders/{id}\n`);
  expect((await run('calls', 'approve', id)).code).toBe(1);
  const [second, third] = [await hold(), await hold('{"id":2}')];
  expect((await run('calls', 'deny', email)).stderr).toContain(`pass an id (${second}, ${third})`);
  for (const callId of [second, third])
    expect((await run('calls', 'deny', callId, '--reason', 'Not now')).stdout).toMatch(/^denied/);
  expect((await run('calls', 'show', third)).stdout).toMatch(
    /^denied[^]*\nreason: Not now\nThe arguments are not shown/,
  );
  expect((await run('calls', 'list')).stdout).toBe('No waiting calls.\n');
  expect((await run('calls', 'list', '--all')).stdout.split('\n').length).toBeGreaterThanOrEqual(4);
});
