import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addClient } from './clients.ts';
import { createInstallation, type Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const [old, fresh] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64')) as [string, string];

/** One data folder with the old key, with both keys, and with the new key only; mails wait for the last. */
let before: Installation;
let between: Installation;
let after: Installation;
beforeAll(async () => {
  before = await createInstallation({ JOBS: 'off', ADMIN_NOTICES: 'off', SECRETS_KEY: old });
  const on = (variables: Readonly<Record<string, string>>) =>
    createInstallation({ ADMIN_NOTICES: 'off', DATA_DIR: before.folder, ...variables });
  between = await on({ JOBS: 'off', SECRETS_KEY: fresh, SECRETS_KEY_PREVIOUS: old });
  after = await on({ SECRETS_KEY: fresh });
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

test('after a change of the secrets key everything is resealed, and the earlier key is no longer needed', async () => {
  const first = await before.compose();
  const admin = await before.admin();
  const stored: Collection[] = [];
  for (const name of ['Weather', 'Roads']) {
    const body = { name, openapi_spec: document, authentication: credential };
    stored.push(await before.api.ask<Collection>(admin, 'POST', '/api/collections/', body));
  }
  await before.api.ask(admin, 'POST', '/api/collections/', { name: 'Open', openapi_spec: document });
  const { key } = await addClient(before.api, admin, 'alice');
  const read = async ({ api }: Installation, collection: Collection) =>
    (await api.call(admin, 'GET', `/api/collections/${collection.id}/metadata`)).body;
  // A list shows when each collection was changed.
  const list = ({ api }: Installation) => api.ask<readonly unknown[]>(admin, 'GET', '/api/collections/');
  const listed = await list(before);
  expect(listed).toHaveLength(3);
  await first.stop();

  // Beside a running service, twice, with the same result.
  const second = await between.compose();
  for (const collection of stored)
    expect(await read(between, collection)).toMatchObject({ authentication: credential });
  expect(await reseal(between)).toEqual({ code: 0, credentials: 2, mails: 1, unreadable: [] });
  expect(await reseal(between)).toEqual({ code: 0, credentials: 0, mails: 0, unreadable: [] });
  await second.stop();

  await after.compose();
  for (const collection of stored) expect(await read(after, collection)).toMatchObject({ authentication: credential });
  expect(await list(after)).toEqual(listed);
  expect(await after.api.ask(key, 'POST', '/api/vector/search', { query: 'weather' })).toEqual([]);
  const mails = () => mailsIn(join(before.folder, 'mails'));
  await expect.poll(mails).toEqual([expect.stringContaining(key.secret)]);
  const page = await after.api.ask<{ data: Entry[] }>(admin, 'GET', '/api/audit/?source=system&action=secrets.reseal');
  // One for each, in any order.
  expect(page.data).toHaveLength(3);
  expect(page.data.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      { action: 'secrets.reseal', job_id: expect.any(String) as string },
      ...stored.map(({ id, name }) => ({ action: 'secrets.reseal', collection_id: id, collection: name })),
    ]),
  );
});

test('reseal names what no configured key opens, leaves it as it is, and exits with 1', async () => {
  const stranger = await openInstallation({ JOBS: 'off', SECRETS_KEY: old });
  await stranger.compose();
  const admin = await stranger.admin();
  const body = { name: 'Weather', openapi_spec: document, authentication: credential };
  const { id } = await stranger.api.ask<Collection>(admin, 'POST', '/api/collections/', body);
  const third = randomBytes(32).toString('base64');
  const both = await openInstallation({ DATA_DIR: stranger.folder, SECRETS_KEY: fresh, SECRETS_KEY_PREVIOUS: old });
  // This start reseals only the pepper with the fresh key, so that the next one can open it.
  await both.tool('people', 'list', '--admins');
  const lost = await openInstallation({ DATA_DIR: stranger.folder, SECRETS_KEY: third, SECRETS_KEY_PREVIOUS: fresh });
  expect(await reseal(lost)).toMatchObject({
    code: 1,
    credentials: 0,
    unreadable: [{ kind: 'credential', id, because: expect.stringContaining('SECRETS_KEY_PREVIOUS') as string }],
  });
});

/** The folder is created with the first mail. */
const mailsIn = (folder: string): readonly string[] => {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8'));
};
