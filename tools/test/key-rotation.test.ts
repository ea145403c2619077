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
 * sends mails.
 */
let before: Installation;
let between: Installation;
let after: Installation;
beforeAll(async () => {
  before = await createInstallation({ JOBS: 'off', ADMIN_NOTICES: 'off', SECRETS_KEY: oldKey });
  const createWith = (variables: Readonly<Record<string, string>>) =>
    createInstallation({ ADMIN_NOTICES: 'off', DATA_DIR: before.folder, ...variables });
  between = await createWith({ JOBS: 'off', SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey });
  after = await createWith({ SECRETS_KEY: newKey });
});
afterAll(async () => {
  for (const installation of [between, after, before]) await installation.remove();
});

interface Collection {
  readonly id: string;
  readonly name: string;
}

interface Entry {
  readonly message: unknown;
}

const document = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths: {} };
const credential = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret' };
const reseal = async (installation: Installation) => {
  const { code, stdout, stderr } = await installation.tool('--json', 'keys', 'reseal');
  if (!stdout) throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as object) };
};

test('after a rotation of the secrets key everything is resealed, and the old key is no longer needed', async () => {
  const first = await before.compose();
  const admin = await before.admin();
  const stored: Collection[] = [];
  for (const name of ['Weather', 'Roads']) {
    const body = { name, openapi_spec: document, authentication: credential };
    stored.push(await before.api.request<Collection>(admin, 'POST', '/api/collections/', body));
  }
  await before.api.request(admin, 'POST', '/api/collections/', { name: 'Open', openapi_spec: document });
  const { key } = await addClient(before.api, admin, 'alice');
  const read = async ({ api }: Installation, collection: Collection) =>
    (await api.call(admin, 'GET', `/api/collections/${collection.id}/metadata`)).body;
  // The list contains the time of each collection's last change.
  const list = ({ api }: Installation) => api.request<readonly unknown[]>(admin, 'GET', '/api/collections/');
  const listBefore = await list(before);
  expect(listBefore).toHaveLength(3);
  await first.stop();

  // Reseals twice while the service is running: the second run finds nothing left to reseal.
  const second = await between.compose();
  for (const collection of stored)
    expect(await read(between, collection)).toMatchObject({ authentication: credential });
  expect(await reseal(between)).toEqual({ code: 0, credentials: 2, mails: 1, unreadable: [] });
  expect(await reseal(between)).toEqual({ code: 0, credentials: 0, mails: 0, unreadable: [] });
  await second.stop();

  await after.compose();
  for (const collection of stored) expect(await read(after, collection)).toMatchObject({ authentication: credential });
  expect(await list(after)).toEqual(listBefore);
  expect(await after.api.request(key, 'POST', '/api/vector/search', { query: 'weather' })).toEqual([]);
  const mails = () => mailsIn(join(before.folder, 'mails'));
  await expect.poll(mails).toEqual([expect.stringContaining(key.secret)]);
  const page = await after.api.request<{ data: Entry[] }>(
    admin,
    'GET',
    '/api/audit/?source=system&action=secrets.reseal',
  );
  // There is one entry for each resealed secret, in any order.
  expect(page.data).toHaveLength(3);
  expect(page.data.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      { action: 'secrets.reseal', job_id: expect.any(String) as string },
      ...stored.map(({ id, name }) => ({ action: 'secrets.reseal', collection_id: id, collection: name })),
    ]),
  );
});

test('reseal lists data that no configured key can open, does not change it, and exits with 1', async () => {
  const oldInstallation = await openInstallation({ JOBS: 'off', SECRETS_KEY: oldKey });
  await oldInstallation.compose();
  const admin = await oldInstallation.admin();
  const body = { name: 'Weather', openapi_spec: document, authentication: credential };
  const { id } = await oldInstallation.api.request<Collection>(admin, 'POST', '/api/collections/', body);
  const third = randomBytes(32).toString('base64');
  const bothKeys = await openInstallation({
    DATA_DIR: oldInstallation.folder,
    SECRETS_KEY: newKey,
    SECRETS_KEY_PREVIOUS: oldKey,
  });
  // This start reseals only the pepper with the new key, so that the next start can open it.
  await bothKeys.tool('people', 'list', '--admins');
  const keyLost = await openInstallation({
    DATA_DIR: oldInstallation.folder,
    SECRETS_KEY: third,
    SECRETS_KEY_PREVIOUS: newKey,
  });
  expect(await reseal(keyLost)).toMatchObject({
    code: 1,
    credentials: 0,
    unreadable: [{ kind: 'credential', id, because: expect.stringContaining('SECRETS_KEY_PREVIOUS') as string }],
  });
});

/** Returns the mails in the folder, which is created with the first mail. */
const mailsIn = (folder: string): readonly string[] => {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
};
