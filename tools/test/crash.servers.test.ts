import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { addClient, type ApprovedClient } from './clients.ts';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeEach);

const document = (title: string) => ({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

/** Returns the mails written for this address. The folder is created with the first mail. */
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

test('a crash right after an approval loses neither the key nor the mail, which contains the same secret', async () => {
  const { api, start } = installation;
  let service = await start();
  const admin = await installation.admin();
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
  const admin = await installation.admin();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    let alive = true;
    const minimum = acknowledged.length + 10;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let at = 0; alive; at++) {
        const name = `collection ${round}-${writer}-${at}`;
        try {
          await api.request(admin, 'POST', '/api/collections/', { name, openapi_spec: document(name) });
          acknowledged.push(name);
        } catch {
          // The service has crashed: this write was not acknowledged, and may or may not be stored.
          return;
        }
      }
    });
    await waitUntil(() => acknowledged.length >= minimum);
    await service.kill();
    alive = false;
    await Promise.all(writers);
    service = await start();
  }
  const collections = await api.request<{ name: string }[]>(admin, 'GET', '/api/collections/');
  const names = collections.map(({ name }) => name);
  expect(acknowledged.filter((name) => !names.includes(name))).toEqual([]);
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
  const { api, start, folder, spawnTool, tool } = installation;
  const count = 60;
  const documents = join(folder, 'documents');
  const [firstHalf, secondHalf] = [join(documents, '1'), join(documents, '2')];
  for (const half of [firstHalf, secondHalf]) mkdirSync(half, { recursive: true });
  for (let at = 0; at < count; at++) {
    const half = at < count / 2 ? firstHalf : secondHalf;
    writeFileSync(join(half, `${at}.json`), JSON.stringify(document(`Document ${at}`)));
  }
  // Nothing writes to this pipe, so the import blocks on reading it and cannot finish before it is killed.
  const endless = join(folder, 'endless.json');
  execFileSync('mkfifo', [endless]);
  await start();
  const admin = await installation.admin();
  const list = () => api.request<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/');
  const importing = spawnTool('import', firstHalf, endless, secondHalf);
  await waitUntil(async () => (await list()).length > 5);
  importing.kill('SIGKILL');
  await once(importing, 'exit');
  const imported = await list();
  expect(imported.length).toBeLessThanOrEqual(count / 2);

  const { stdout } = await tool('--json', 'import', documents);
  expect(JSON.parse(stdout)).toMatchObject({
    created: count - imported.length,
    unchanged: imported.length,
    refused: 0,
  });
  const after = await list();
  expect(after).toHaveLength(count);
  expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(imported.map(({ id }) => id)));
});
