import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addClient } from './clients.ts';
import { createInstallation, type Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64')) as [
  string,
  string,
];

/**
 * Installations on one data folder: with the old key, with both keys, and with only the new key. Only the last one
 * sends emails.
 */
let oldKeyInstallation: Installation;
let bothKeysInstallation: Installation;
let newKeyInstallation: Installation;
beforeAll(async () => {
  oldKeyInstallation = await createInstallation({ JOBS: 'off', ADMIN_NOTICES: 'off', SECRETS_KEY: oldKey });
  const createWith = (variables: Readonly<Record<string, string>>) =>
    createInstallation({ ADMIN_NOTICES: 'off', DATA_DIR: oldKeyInstallation.folder, ...variables });
  bothKeysInstallation = await createWith({ JOBS: 'off', SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey });
  newKeyInstallation = await createWith({ SECRETS_KEY: newKey });
});
afterAll(async () => {
  for (const installation of [bothKeysInstallation, newKeyInstallation, oldKeyInstallation])
    await installation.remove();
});

interface Collection {
  readonly id: string;
  readonly name: string;
}

interface Entry {
  readonly message: unknown;
}

const securitySchemes = { oauth: { type: 'oauth2', flows: {} } };
const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: {},
  components: { securitySchemes },
};
const credential = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret' };
const reseal = async (installation: Installation) => {
  const { code, stdout, stderr } = await installation.runTool('--json', 'keys', 'reseal');
  if (!stdout) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as object) };
};

test('after the secrets key is rotated, everything is resealed, and the old key is no longer needed', async () => {
  const firstService = await oldKeyInstallation.compose();
  const admin = await oldKeyInstallation.createAdminToken();
  const createdCollections: Collection[] = [];
  for (const name of ['Weather', 'Roads']) {
    const body = { name, openapi_spec: document, authentication: credential };
    createdCollections.push(await oldKeyInstallation.api.request<Collection>(admin, 'POST', '/api/collections/', body));
  }
  const open = { name: 'Open', openapi_spec: document };
  const { id: openId } = await oldKeyInstallation.api.request<Collection>(admin, 'POST', '/api/collections/', open);
  const credentialsPath = `/api/collections/${openId}/credentials`;
  const client = { client_id: 'ada', client_secret: 's3cret' };
  await oldKeyInstallation.api.request(admin, 'PUT', `${credentialsPath}/oauth`, client);
  const webhookInput = { url: 'https://hooks.example.com/s3cret' };
  const { id: webhookId } = await oldKeyInstallation.api.request<Collection>(
    admin,
    'POST',
    '/api/webhooks',
    webhookInput,
  );
  const { key } = await addClient(oldKeyInstallation.api, admin, 'alice');
  const readMetadata = async ({ api }: Installation, collection: Collection) =>
    (await api.call(admin, 'GET', `/api/collections/${collection.id}/metadata`)).body;
  // The list contains the time of each collection's last change.
  const listCollections = ({ api }: Installation) => api.request<readonly unknown[]>(admin, 'GET', '/api/collections/');
  const listBefore = await listCollections(oldKeyInstallation);
  expect(listBefore).toHaveLength(3);
  await firstService.stop();

  // Reseals twice while the service is running: the second run finds nothing left to reseal.
  const secondService = await bothKeysInstallation.compose();
  for (const collection of createdCollections)
    expect(await readMetadata(bothKeysInstallation, collection)).toMatchObject({ authentication: credential });
  expect(await reseal(bothKeysInstallation)).toEqual({
    code: 0,
    credentials: 3,
    mails: 1,
    calls: 0,
    webhooks: 1,
    unreadable: [],
  });
  expect(await reseal(bothKeysInstallation)).toEqual({
    code: 0,
    credentials: 0,
    mails: 0,
    calls: 0,
    webhooks: 0,
    unreadable: [],
  });
  await secondService.stop();

  const thirdService = await newKeyInstallation.compose();
  for (const collection of createdCollections)
    expect(await readMetadata(newKeyInstallation, collection)).toMatchObject({ authentication: credential });
  expect(await listCollections(newKeyInstallation)).toEqual(listBefore);
  expect(await newKeyInstallation.api.request(key, 'POST', '/api/vector/search', { query: 'weather' })).toEqual([]);
  const readMails = () => mailsIn(join(oldKeyInstallation.folder, 'mails'));
  await expect.poll(readMails).toEqual([expect.stringContaining(key.secret)]);
  const page = await newKeyInstallation.api.request<{ data: Entry[] }>(
    admin,
    'GET',
    '/api/audit/?source=system&action=secrets.reseal',
  );
  expect(await newKeyInstallation.api.request(admin, 'GET', credentialsPath)).toMatchObject([{ scheme: 'oauth' }]);
  // There is one entry for each resealed secret, in any order.
  expect(page.data).toHaveLength(5);
  expect(page.data.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      { action: 'secrets.reseal', webhook_id: webhookId, webhook: 'https://hooks.example.com' },
      { action: 'secrets.reseal', job_id: expect.any(String) as string },
      { action: 'secrets.reseal', collection_id: openId, collection: 'Open', scheme: 'oauth' },
      ...createdCollections.map(({ id, name }) => ({ action: 'secrets.reseal', collection_id: id, collection: name })),
    ]),
  );
  // Opens the secret to keep it as the previous one.
  await newKeyInstallation.api.request(admin, 'POST', `/api/webhooks/${webhookId}/rotate`);
  await thirdService.stop();
  expect((await newKeyInstallation.runTool('keys', 'reset', '--yes')).stderr).toContain('there is nothing to reset');
});

test('reseal lists data that no configured key can open, does not change it, and exits with 1', async () => {
  const oldInstallation = await openInstallation({ JOBS: 'off', SECRETS_KEY: oldKey });
  await oldInstallation.compose();
  const admin = await oldInstallation.createAdminToken();
  const body = { name: 'Weather', openapi_spec: document, authentication: credential };
  const { id } = await oldInstallation.api.request<Collection>(admin, 'POST', '/api/collections/', body);
  const thirdKey = randomBytes(32).toString('base64');
  const resealedInstallation = await openInstallation({
    DATA_DIR: oldInstallation.folder,
    SECRETS_KEY: newKey,
    SECRETS_KEY_PREVIOUS: oldKey,
  });
  // This start reseals only the pepper with the new key, so that the next start can open it.
  await resealedInstallation.runTool('people', 'list', '--admins');
  const lostKeyInstallation = await openInstallation({
    DATA_DIR: oldInstallation.folder,
    SECRETS_KEY: thirdKey,
    SECRETS_KEY_PREVIOUS: newKey,
  });
  expect(await reseal(lostKeyInstallation)).toMatchObject({
    code: 1,
    credentials: 0,
    unreadable: [{ kind: 'credential', id, because: expect.stringContaining('SECRETS_KEY_PREVIOUS') as string }],
  });
});

/** Returns the emails in the folder, which is created with the first email. */
const mailsIn = (folder: string): readonly string[] => {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
};
