import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { addClient, type ApprovedClient } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeEach);

const document = (title: string) => ({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

/** Returns the emails written for this address. The folder is created with the first email. */
const mailsTo = (address: string): readonly string[] => {
  const folder = join(installation.folder, 'mails');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.eml'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`));
};

/** Waits for a condition: a job that was running during a crash runs again only when its lease has expired. */
const waitUntil = (condition: () => boolean | Promise<boolean>) => expect.poll(condition).toBe(true);

test('a crash right after a client is approved loses neither the key nor the email, which contains the same secret', async () => {
  const { api, start } = installation;
  let service = await start();
  const admin = await installation.createAdminToken();
  const clients: { uid: string; client: ApprovedClient['key'] }[] = [];
  for (let round = 0; round < 5; round++) {
    const uid = `person-${round}`;
    const { key } = await addClient(api, admin, uid);
    await service.kill();
    clients.push({ uid, client: key });
    service = await start();
  }
  for (const { uid, client } of clients) {
    expect((await api.call(client, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
    await waitUntil(() => mailsTo(`${uid}@example.com`).length > 0);
    const secrets = mailsTo(`${uid}@example.com`).map((mail) => removeSoftBreaks(mail).includes(client.secret));
    expect(new Set(secrets)).toEqual(new Set([true]));
  }
});

/** Removes the soft line breaks of quoted-printable. */
const removeSoftBreaks = (mail: string): string => mail.replaceAll('=\r\n', '').replaceAll('=\n', '');

test('a crash during many writes loses no acknowledged write', async () => {
  const { api, start } = installation;
  let service = await start();
  const admin = await installation.createAdminToken();
  const acknowledgedNames: string[] = [];
  for (let round = 0; round < 3; round++) {
    let isAlive = true;
    const minimumCount = acknowledgedNames.length + 10;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; isAlive; index++) {
        const name = `collection ${round}-${writer}-${index}`;
        try {
          await api.request(admin, 'POST', '/api/collections/', { name, openapi_spec: document(name) });
          acknowledgedNames.push(name);
        } catch {
          // The service has crashed: this write was not acknowledged, and may or may not be stored.
          return;
        }
      }
    });
    await waitUntil(() => acknowledgedNames.length >= minimumCount);
    await service.kill();
    isAlive = false;
    await Promise.all(writers);
    service = await start();
  }
  const collections = await api.request<{ name: string }[]>(admin, 'GET', '/api/collections/');
  const names = collections.map(({ name }) => name);
  expect(acknowledgedNames.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  // Embeddings that the crash prevented are created after the restart.
  await waitUntil(async () => {
    const results = await api.request<unknown[]>(admin, 'POST', '/api/vector/search', {
      query: 'collection',
      k_limit: 100,
    });
    return results.length === Math.min(100, names.length);
  });
});

test('an import that crashes halfway loses no imported document, and the next one creates no duplicates', async () => {
  const { api, start, folder, spawnTool, runTool } = installation;
  const count = 60;
  const documents = join(folder, 'documents');
  const [firstHalf, secondHalf] = [join(documents, '1'), join(documents, '2')];
  for (const half of [firstHalf, secondHalf]) mkdirSync(half, { recursive: true });
  for (let index = 0; index < count; index++) {
    const half = index < count / 2 ? firstHalf : secondHalf;
    writeFileSync(join(half, `${index}.json`), JSON.stringify(document(`Document ${index}`)));
  }
  // Nothing writes to this pipe, so the import blocks on reading it and cannot finish before it is killed.
  const endlessFile = join(folder, 'endless.json');
  execFileSync('mkfifo', [endlessFile]);
  await start();
  const admin = await installation.createAdminToken();
  const listCollections = () => api.request<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/');
  const importProcess = spawnTool('import', firstHalf, endlessFile, secondHalf);
  await waitUntil(async () => (await listCollections()).length > 5);
  importProcess.kill('SIGKILL');
  await once(importProcess, 'exit');
  const importedCollections = await listCollections();
  expect(importedCollections.length).toBeLessThanOrEqual(count / 2);

  const { stdout } = await runTool('--json', 'import', documents);
  expect(JSON.parse(stdout)).toMatchObject({
    created: count - importedCollections.length,
    unchanged: importedCollections.length,
    refused: 0,
  });
  const collectionsAfter = await listCollections();
  expect(collectionsAfter).toHaveLength(count);
  expect(collectionsAfter.map(({ id }) => id)).toEqual(expect.arrayContaining(importedCollections.map(({ id }) => id)));
});
