import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@portico/test-servers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { addClient, addCollection, type ApprovedClient } from './clients.ts';
import type { Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';
import { runTool } from './run-tool.ts';

const postgres = await startPostgres();
afterAll(() => postgres?.close());

const databases = {
  SQLite: async () => ({}),
  ...(postgres ? { PostgreSQL: async () => ({ DATABASE_URL: await postgres.createDatabase() }) } : {}),
};

const securitySchemes = { oauth: { type: 'oauth2', flows: {} } };
const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: {},
  components: { securitySchemes },
};
const credential = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret', in: 'header' };
const newKey = () => `${randomBytes(32).toString('base64')}\n`;

describe.each(Object.entries(databases))('on %s', (_name, variables) => {
  let installation: Installation;
  let keyFile: string;
  beforeEach(async () => {
    installation = await openInstallation({ JOBS: 'off', ...(await variables()) });
    keyFile = join(installation.folder, 'secrets.key');
  });

  /** Creates a collection with two credentials, a client, a pending email with the client's key, and a service account. */
  const seedInstallation = async (): Promise<{
    admin: Credential;
    collection: string;
    client: ApprovedClient;
    token: string;
    webhook: string;
  }> => {
    const service = await installation.compose();
    const admin = await installation.createAdminToken();
    const { api } = installation;
    const collectionFields = { name: 'Weather', openapi_spec: document, authentication: credential };
    const collection = await addCollection(api, admin, collectionFields);
    const oauthClient = { client_id: 'ada', client_secret: 's3cret' };
    await api.request(admin, 'PUT', `/api/collections/${collection}/credentials/oauth`, oauthClient);
    const client = await addClient(api, admin, 'alice');
    const robot = { name: 'robot', scopes: ['audit:read'] };
    const { token } = await api.request<{ token: string }>(admin, 'POST', '/api/service-accounts', robot);
    const hook = { url: 'https://hooks.example.com' };
    const { id: webhook } = await api.request<{ id: string }>(admin, 'POST', '/api/webhooks', hook);
    await service.stop();
    return { admin, collection, client, token, webhook };
  };

  const commands = [
    ['people', 'list', '--admins'],
    ['keys', 'reseal'],
    ['import', 'samples'],
  ] as const;

  test('without the key file, neither the service nor the tool starts; each reports the reason and creates no new key', async () => {
    await seedInstallation();
    rmSync(keyFile);
    const message = new RegExp(
      `${keyFile} is missing, but the database has data sealed by the key [0-9a-f]{8}: put that key back, or set it in SECRETS_KEY_PREVIOUS, or, if it is permanently lost, run "portico keys reset"\\.`,
    );
    await expect(installation.start()).rejects.toThrow(message);
    const lastLine = readFileSync(join(installation.folder, 'service.log'), 'utf8').trim().split('\n').at(-1);
    expect(lastLine).toMatch(message);
    for (const command of commands) {
      const { code, stdout, stderr } = await installation.runTool(...command);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(existsSync(keyFile)).toBe(false);
    expect((await installation.runTool('token', '--admin')).code).toBe(0);
  });

  test('with a different key in the file, the tool reports which key is needed and does not change the file', async () => {
    await seedInstallation();
    const otherKey = newKey();
    writeFileSync(keyFile, otherKey);
    const { code, stderr } = await installation.runTool('people', 'list', '--admins');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^portico: The database was sealed with the key [0-9a-f]{8}, but the configuration has the key [0-9a-f]{8}: put that key back, .*\n$/,
    );
    expect(readFileSync(keyFile, 'utf8')).toBe(otherKey);
  });

  test('a missing key file is created if SECRETS_KEY_PREVIOUS has the earlier key', async () => {
    await seedInstallation();
    const previousKey = readFileSync(keyFile, 'utf8').trim();
    rmSync(keyFile);
    const reopenedInstallation = await reopen({ SECRETS_KEY_PREVIOUS: previousKey });
    expect((await reopenedInstallation.runTool('keys', 'reseal')).code).toBe(0);
    expect(existsSync(keyFile)).toBe(true);
    expect((await installation.runTool('people', 'list', '--admins')).code).toBe(0);
  });

  const reopen = (otherVariables: Readonly<Record<string, string>>) =>
    openInstallation({
      JOBS: 'off',
      DATA_DIR: installation.folder,
      ...(installation.variables.DATABASE_URL ? { DATABASE_URL: installation.variables.DATABASE_URL } : {}),
      ...otherVariables,
    });

  test('a reset lists the data that is lost, and removes nothing without confirmation', async () => {
    const { collection } = await seedInstallation();
    expect(await installation.runTool('keys', 'reset', '--yes')).toMatchObject({ code: 1, stdout: '' });
    rmSync(keyFile);
    const unconfirmedReset = await installation.runTool('keys', 'reset');
    expect(unconfirmedReset).toMatchObject({ code: 2, stdout: '' });
    for (const text of [
      '2 stored credentials',
      `${collection}  Weather\n`,
      `${collection}  Weather (oauth)\n`,
      '1 waiting email',
      'the secrets of 1 webhook',
      'ALL API keys: 1 client',
      '1 token of service accounts',
    ])
      expect(unconfirmedReset.stderr).toContain(text);
    expect(unconfirmedReset.stderr).toContain('pass --yes');
    expect(existsSync(keyFile)).toBe(false);
    expect((await installation.runTool('people', 'list', '--admins')).code).toBe(1);
  });

  test('a reset asks for confirmation on a terminal, and removes data only after a yes', async () => {
    await seedInstallation();
    rmSync(keyFile);
    const variables = { DATA_DIR: installation.folder, NODE_ENV: 'development', ...installation.variables };
    const resetWithInput = (input: string) => runTool(variables, ['keys', 'reset'], input);
    expect(await resetWithInput('y\n')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Type yes: .*not confirmed: nothing was removed\n$/) as string,
    });
    expect((await installation.runTool('people', 'list', '--admins')).code).toBe(1);
    expect(await resetWithInput('Yes\n')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Removed: 2 stored credentials, 1 waiting email, 0 pending calls, 1 webhook, 1 API key, /,
      ) as string,
    });
    expect((await installation.runTool('people', 'list', '--admins')).code).toBe(0);
  });

  test('after a reset, the service works without the lost data, and clients get new secrets', async () => {
    const { admin, collection, client, token, webhook } = await seedInstallation();
    rmSync(keyFile);
    const resetRun = await installation.runTool('--json', 'keys', 'reset', '--yes');
    expect(resetRun.code).toBe(0);
    expect(JSON.parse(resetRun.stdout)).toEqual({
      credentials: [
        { id: collection, name: 'Weather' },
        { id: collection, name: 'Weather', scheme: 'oauth' },
      ],
      mails: [{ id: expect.any(String) as string, profile_id: client.id }],
      calls: [],
      webhooks: [{ id: webhook }],
      api_keys: 1,
      service_accounts: 1,
    });
    await installation.compose();
    const { api } = installation;
    const metadata = await api.request<object>(admin, 'GET', `/api/collections/${collection}/metadata`);
    expect(metadata).toMatchObject({ authentication: { ...credential, value: null } });
    expect(await api.request(admin, 'GET', `/api/collections/${collection}/credentials`)).toEqual([]);
    expect((await api.call(client.key, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(401);
    const renewedKey = keyOf(await api.request<Credentials>(admin, 'POST', `/api/profiles/${client.id}/credentials`));
    expect(renewedKey.clientId).toBe(client.key.clientId);
    expect((await api.call(renewedKey, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
    expect((await api.call({ token }, 'GET', '/api/audit/')).status).toBe(401);
    const rotatedToken = (await installation.runTool('accounts', 'rotate', 'robot')).stdout.trim();
    expect((await api.call({ token: rotatedToken }, 'GET', '/api/audit/')).status).toBe(200);
    const jobs = JSON.parse((await installation.runTool('--json', 'jobs', 'list')).stdout) as { jobs: object[] };
    expect(jobs.jobs).toMatchObject([{ retryable: false, error: 'The secrets key that sealed it is lost' }]);
    const page = await api.request<{ data: object[] }>(admin, 'GET', '/api/audit/?source=system&action=secrets.reset');
    expect(page.data).toMatchObject([
      {
        message: {
          action: 'secrets.reset',
          credentials: 2,
          mails: 1,
          calls: 0,
          webhooks: 1,
          api_keys: 1,
          service_accounts: 1,
        },
      },
    ]);
    const path = `/api/webhooks/${webhook}`;
    expect(await api.request(admin, 'GET', path)).toMatchObject({ active: false, has_secret: false });
    expect((await api.call(admin, 'PUT', path, { active: true })).status).toBe(409);
    await api.request(admin, 'POST', `${path}/rotate`);
    expect(await api.request(admin, 'PUT', path, { active: true })).toMatchObject({ active: true, has_secret: true });
    const secondReset = await installation.runTool('keys', 'reset', '--yes');
    expect(secondReset.code).toBe(1);
  });

  test('only data that no key can open is lost: API keys remain valid if the pepper was resealed', async () => {
    const { collection, client, token } = await seedInstallation();
    const firstKey = readFileSync(keyFile, 'utf8').trim();
    // Starting with the second key reseals only the pepper.
    writeFileSync(keyFile, newKey());
    expect((await (await reopen({ SECRETS_KEY_PREVIOUS: firstKey })).runTool('people', 'list', '--admins')).code).toBe(
      0,
    );
    const resetRun = await installation.runTool('--json', 'keys', 'reset', '--yes');
    expect(JSON.parse(resetRun.stdout)).toMatchObject({
      credentials: [{ id: collection }, { id: collection, scheme: 'oauth' }],
      api_keys: 0,
      service_accounts: 0,
    });
    await installation.compose();
    expect((await installation.api.call({ token }, 'GET', '/api/audit/')).status).toBe(200);
    expect((await installation.api.call(client.key, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
  });

  test('in production, a missing key file is created only if nothing has been sealed', async () => {
    const path = join(installation.folder, 'deep', 'key');
    const productionInstallation = await reopen({
      NODE_ENV: 'production',
      IDENTITY_LOCAL: 'true',
      SECRETS_KEY_FILE: path,
    });
    expect((await productionInstallation.runTool('people', 'list', '--admins')).stderr).toContain(
      'A new secrets key was created',
    );
    rmSync(path);
    expect((await productionInstallation.runTool('people', 'list', '--admins')).stderr).toContain(`${path} is missing`);
    expect(existsSync(path)).toBe(false);
  });
});

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

const keyOf = (credentials: Credentials) => ({ clientId: credentials.client_id, secret: credentials.client_secret });
