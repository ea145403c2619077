import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@portico/composition';
import { startPostgres, startRedis, createTemporaryFolder } from '@portico/test-servers';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { approve, type ApprovedClient } from './clients.ts';
import { startComposed, type ComposedService } from './composed-service.ts';
import { installRelease, type EarlierService } from './earlier-release.ts';
import { runTool } from './run-tool.ts';

/** Release 0.1.0. */
const release = await installRelease('d02b3ebc8f4d8c3e36b3e862e02fb7d0dd5cbe42');
const [postgres, redis] = [await startPostgres(), await startRedis()];
afterAll(async () => {
  await release?.remove();
  await postgres?.close();
  await redis?.close();
});

let folder: string;
const services: { stop(): Promise<void> }[] = [];
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

const embeddedVariables = (): Environment => ({ DATA_DIR: folder, RATE_LIMIT_DEFAULT: '100000/60' });
const createServerVariables = async (): Promise<Environment> => ({
  ...embeddedVariables(),
  DATABASE_URL: await postgres?.createDatabase(),
  REDIS_URL: redis?.url,
});

const startOldRelease = async (variables: Environment): Promise<EarlierService> => {
  if (!release) throw new Error('The release is not installed');
  const service = await release.start(variables);
  services.push(service);
  return service;
};
const startNewVersion = async (variables: Environment): Promise<ComposedService> => {
  const service = await startComposed({ ...variables, PORT: '0' });
  services.push(service);
  return service;
};
const stop = async (service: { stop(): Promise<void> }): Promise<void> => {
  services.splice(services.indexOf(service), 1);
  await service.stop();
};

const documentOf = (title: string) => ({
  openapi: '3.0.3',
  info: { title, version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/today': { get: { summary: `Tell about ${title}`, responses: {} } } },
});

interface Collection {
  readonly id: string;
  readonly name: string;
}

interface Token {
  readonly token: string;
}

interface Fixture {
  readonly admin: Token;
  readonly ada: ApprovedClient & Token;
  readonly weather: Collection;
}

const tokenOf = async (variables: Environment, ...options: readonly string[]): Promise<Token> => {
  const { code, stdout, stderr } = await runTool(variables, ['token', ...options]);
  if (code !== 0) throw new Error(stderr);
  return { token: stdout.trim() };
};

const addCollection = (
  api: ApiClient,
  admin: Credential,
  name: string,
  otherFields: object = {},
): Promise<Collection> =>
  api.request(admin, 'POST', '/api/collections/', { name, openapi_spec: documentOf(name), ...otherFields });

/** Registers and approves a client, who also gets the credentials by mail. */
const addClient = async (api: ApiClient, admin: Credential, name: string): Promise<ApprovedClient> => {
  const registration = { firebase_uid: name, email: `${name}@example.com`, full_name: name, company_name: 'Engines' };
  const { id } = await api.request<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
  return approve(api, admin, id);
};

/** Creates three collections, two of which Ada may use, and some data of each kind that release 0.1.0 stores. */
const seedInstallation = async (api: ApiClient, variables: Environment): Promise<Fixture> => {
  const admin = await tokenOf(variables, '--admin');
  const authentication = { type: 'apiKey', name: 'X-Api-Key', in: 'header', value: 'the-credential' };
  const weather = await addCollection(api, admin, 'Weather', { authentication });
  const payments = await addCollection(api, admin, 'Payments');
  await addCollection(api, admin, 'Hidden weather');
  const ada = {
    ...(await addClient(api, admin, 'ada')),
    ...(await tokenOf(variables, '--uid', 'ada', '--email', 'ada@example.com')),
  };
  for (const { id } of [weather, payments])
    await api.request(admin, 'POST', `/api/access/clients/${ada.id}/collections/${id}`);
  await api.request(ada.key, 'POST', '/api/audit/', { message: { action: 'api_call', endpoint: '/today' } });
  const override = { client_id: ada.key.clientId, allowed_limit: 90_000, window_seconds: 60 };
  await api.request(admin, 'POST', '/api/rate-limits/overrides', override);
  await listCollectionNames(api, admin);
  return { admin, ada, weather };
};

/** Returns the names of the collections in a list, which has to be the same in each content coding. */
const listCollectionNames = async ({ address }: ApiClient, { token }: Token): Promise<readonly string[]> => {
  const lists: (readonly string[])[] = [];
  for (const coding of ['gzip', 'identity']) {
    const response = await fetch(`${address}/api/collections/`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': coding },
    });
    expect(response.status).toBe(200);
    lists.push(((await response.json()) as readonly Collection[]).map(({ name }) => name).toSorted());
  }
  const [names = [], otherNames] = lists;
  expect(otherNames).toEqual(names);
  return names;
};

const search = async (api: ApiClient, caller: Credential): Promise<readonly string[]> => {
  const matches = await api.request<readonly { collection_name: string }[]>(caller, 'POST', '/api/vector/search', {
    query: 'weather',
    k_limit: 50,
  });
  return matches.map(({ collection_name: name }) => name).toSorted();
};

const mailsTo = (email: string): number => {
  const mails = join(folder, 'mails');
  return readdirSync(mails).filter((name) => readFileSync(join(mails, name), 'utf8').includes(`To: ${email}`)).length;
};

/** Expects all stored data to be present, and to be readable by the same callers as before. */
const expectAllData = async (api: ApiClient, { admin, ada, weather }: Fixture): Promise<void> => {
  expect(await listCollectionNames(api, admin)).toEqual(['Hidden weather', 'Payments', 'Weather']);
  expect(await listCollectionNames(api, ada)).toEqual(['Payments', 'Weather']);
  expect(await api.request(ada.key, 'GET', `/api/collections/${weather.id}`)).toMatchObject({
    openapi_spec: documentOf('Weather'),
  });
  expect(await api.request(ada.key, 'GET', `/api/collections/${weather.id}/metadata`)).toMatchObject({
    authentication: { value: 'the-credential' },
  });
  expect(await api.request(admin, 'GET', `/api/rate-limits/effective/${ada.key.clientId}`)).toMatchObject({
    allowed_limit: 90_000,
  });
  const { data } = await api.request<{ data: { message: unknown }[] }>(admin, 'GET', '/api/audit/?source=client');
  expect(data.map(({ message }) => message)).toContainEqual({ action: 'api_call', endpoint: '/today' });
  await expect.poll(() => search(api, ada.key)).toEqual(['Payments', 'Weather']);
};

const oldReleaseError = /it has the migration 0006-since-0\.1\.0, which this version does not know/;

describe.skipIf(!release)('after release 0.1.0', () => {
  test('a service on SQLite has all data', async () => {
    const variables = embeddedVariables();
    const oldService = await startOldRelease(variables);
    const fixture = await seedInstallation(oldService.api, variables);
    await stop(oldService);
    await expectAllData((await startNewVersion(variables)).api, fixture);
    expect(mailsTo('ada@example.com')).toBe(1);
  });

  test.skipIf(!postgres || !redis)('a service on the same PostgreSQL and Redis has all data', async () => {
    const variables = await createServerVariables();
    // Leaves all jobs for the new version: the email, and the embeddings that searches need.
    const oldService = await startOldRelease({ ...variables, JOBS: 'off' });
    const fixture = await seedInstallation(oldService.api, variables);
    await stop(oldService);
    await expectAllData((await startNewVersion(variables)).api, fixture);
    await expect.poll(() => mailsTo('ada@example.com')).toBe(1);
    await expect(startOldRelease(variables)).rejects.toThrow(oldReleaseError);
  });

  test.skipIf(!postgres || !redis)('both run in parallel on the same PostgreSQL and Redis', async () => {
    const variables = await createServerVariables();
    const oldService = await startOldRelease(variables);
    const fixture = await seedInstallation(oldService.api, variables);
    const { admin, ada } = fixture;
    await expect.poll(() => search(oldService.api, ada.key)).toEqual(['Payments', 'Weather']);
    const apis = [oldService.api, (await startNewVersion(variables)).api];
    for (const api of apis) await expectAllData(api, fixture);

    const names = ['Hidden weather', 'Payments', 'Weather'];
    for (let round = 1; round <= 4; round++) {
      for (const [index, writer] of apis.entries()) {
        const collection = await addCollection(writer, admin, `Maps ${round} ${index}`);
        names.push(collection.name);
        for (const api of apis) expect(await listCollectionNames(api, admin)).toEqual(names.toSorted());
        await writer.request(admin, 'POST', `/api/access/clients/${ada.id}/collections/${collection.id}`);
        for (const api of apis) expect(await listCollectionNames(api, ada)).toContain(collection.name);
        await writer.request(admin, 'DELETE', `/api/access/clients/${ada.id}/collections/${collection.id}`);
        for (const api of apis) expect(await listCollectionNames(api, ada)).toEqual(['Payments', 'Weather']);
      }
    }
    for (const api of apis) await expect.poll(() => search(api, admin)).toEqual(names.toSorted());

    for (const [index, writer] of apis.entries()) {
      const { id, key } = await addClient(writer, admin, `client-${index}`);
      await expect.poll(() => mailsTo(`client-${index}@example.com`)).toBe(1);
      const override = { client_id: key.clientId, allowed_limit: 5, window_seconds: 3_600 };
      await writer.request(admin, 'POST', '/api/rate-limits/overrides', override);
      const statusOf = async (api: ApiClient) =>
        (await api.call(key, 'GET', `/api/rate-limits/effective/${key.clientId}`)).status;
      // Each version counts at least its own requests.
      for (const api of apis) {
        const statuses: number[] = [];
        while (statuses.at(-1) !== 429) statuses.push(await statusOf(api));
        expect(statuses.length).toBeLessThanOrEqual(6);
      }
      await writer.request(admin, 'DELETE', `/api/profiles/${id}`);
      for (const api of apis) expect(await statusOf(api)).toBe(401);
    }
  });
});
