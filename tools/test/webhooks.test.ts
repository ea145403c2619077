import { createServer } from 'node:http';
import { LoopbackServer } from '@portico/test-servers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeEach, { CALL_NETWORKS: '127.0.0.1' });

let status = 204;
let receiver: LoopbackServer;
beforeAll(async () => {
  receiver = await LoopbackServer.start(createServer((_request, response) => response.writeHead(status).end()));
});
afterAll(() => receiver.stop());

const runWebhooksTool = (...args: readonly string[]) => installation.runTool('webhooks', ...args);
const idIn = (text: string): string => /[0-9a-f-]{36}/.exec(text)?.[0] ?? '';

test('the tool creates, shows, tests, changes, rotates and deletes webhooks', async () => {
  const url = `http://127.0.0.1:${receiver.port}/hook`;
  expect((await runWebhooksTool('list')).stdout).toBe('There are no webhooks.\n');
  const creation = await runWebhooksTool('add', url, '--event', 'key.rotated', '--description', 'Chat');
  expect(creation).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/) as string });
  const id = idIn(creation.stderr);
  expect(creation.stderr).toBe(`Created the webhook ${id}. Its secret is shown only this once:\n`);
  expect((await runWebhooksTool('list')).stdout).toBe(`${id}  active  ${url}  key.rotated\n`);
  expect((await runWebhooksTool('show', url)).stdout).toBe(`${id}  active  ${url}\nChat\nevents: key.rotated\n`);

  expect(await runWebhooksTool('test', id)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The receiver responded 204 \(\d+ ms\)\n$/) as string,
  });
  status = 500;
  expect(await runWebhooksTool('test', url)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^The receiver responded 500 \(\d+ ms\)\n$/) as string,
  });
  const lines = (await runWebhooksTool('deliveries', id)).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d {2}webhook\.test {2}attempt 1 {2}500 .*The receiver responded 500$/,
  );
  expect((await runWebhooksTool('list')).stdout).toContain('  failing since ');

  expect((await runWebhooksTool('set', id)).stderr).toContain('nothing to change');
  const change = await installation.runTool(
    '--json',
    'webhooks',
    'set',
    id,
    '--no-active',
    '--event',
    'access.requested',
  );
  expect(JSON.parse(change.stdout)).toMatchObject({
    id,
    active: false,
    events: ['access.requested'],
    description: 'Chat',
  });
  const rotation = await runWebhooksTool('rotate', id);
  expect(rotation.stdout).toMatch(/^whsec_/);
  expect(rotation.stdout).not.toBe(creation.stdout);
  expect(rotation.stderr).toMatch(/The previous one also signs until \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
  expect((await runWebhooksTool('delete', id)).stdout).toBe(`${id} is deleted.\n`);
  expect(await runWebhooksTool('show', id)).toMatchObject({ code: 1, stdout: '' });
});

test('an unknown event and an address without TLS are rejected', async () => {
  expect((await runWebhooksTool('add', 'https://hooks.example.com', '--event', 'webhook.test')).code).toBe(2);
  const creation = await runWebhooksTool('add', 'http://192.0.2.1/');
  expect(creation).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('must use https') as string });
});

test('several webhooks with one address are distinguished by their ids', async () => {
  const url = 'https://hooks.example.com/';
  for (let count = 0; count < 2; count += 1) await runWebhooksTool('add', url, '--inactive');
  expect((await runWebhooksTool('show', url)).stderr).toContain('several webhooks have this address: pass an id (');
  expect((await runWebhooksTool('list')).stdout.match(/ {2}inactive {2}/g)).toHaveLength(2);
});
