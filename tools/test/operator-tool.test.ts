import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { compose, createLogger, readConfig, type Composition } from '@portico/composition';
import { anAdmin, noEffects } from '@portico/contracts';
import { makeSecret, type CollectionId, type JobId, type JobTask, type ProfileId } from '@portico/domain';
import { register } from './clients.ts';
import { openInstallation, provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeEach);

const document = (title: string, description = '', paths = {}) =>
  JSON.stringify({ openapi: '3.0.3', info: { title, description, version: '1' }, paths });

const writeDocument = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

const silentLogger = createLogger('silent', 'test');

/** Opens the stores of the installation in this process, and closes them after `work`. */
const withStores = async <T>(work: (portico: Composition) => Promise<T>): Promise<T> => {
  const config = readConfig({ DATA_DIR: installation.folder, NODE_ENV: 'development' });
  const portico = await compose(config, silentLogger, 'tool');
  try {
    return await work(portico);
  } finally {
    await portico.close();
  }
};

test('token prints nothing but the token on standard output, with and without a running service', async () => {
  const before = await installation.runTool('token', '--admin');
  await installation.compose();
  const after = await installation.runTool('token', '--uid', 'alice', '--email', 'alice@example.com', '--ttl', '60');
  for (const { code, stdout, stderr } of [before, after]) {
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(stderr).toBe('');
  }
  const { status } = await installation.api.call({ token: before.stdout.trim() }, 'GET', '/api/profiles/');
  expect(status).toBe(200);
  expect((await installation.api.call({ token: after.stdout.trim() }, 'GET', '/api/profiles/me')).status).toBe(404);
});

test('text from strangers cannot control the terminal that lists it', async () => {
  await withStores(({ ports }) =>
    ports.profiles.add(anAdmin({ fullName: 'Eve\u001b[2J\u202e\n0b9f6a52  root@example.com  Root\u2028' }), noEffects),
  );
  const { stdout } = await installation.runTool('people', 'list', '--admins');
  expect(stdout.trim().split('\n')).toHaveLength(2);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  const json = await installation.runTool('--json', 'people', 'list', '--admins');
  expect(json.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('a profile that registered can be promoted, and is an admin in the next request', async () => {
  const { api, compose, runTool, createToken } = installation;
  await compose();
  await api.request(null, 'POST', '/api/profiles/register', {
    firebase_uid: 'eve',
    email: 'Eve@Example.com',
    full_name: 'Eve',
  });
  const eve = await createToken('eve');
  expect((await api.call(eve, 'GET', '/api/profiles/')).status).toBe(403);
  expect((await runTool('people', 'promote', 'EVE@example.com')).code).toBe(0);
  expect((await api.call(eve, 'GET', '/api/profiles/')).status).toBe(200);
  const { stdout } = await runTool('--json', 'people', 'list', '--admins');
  expect((JSON.parse(stdout) as { email: string }[]).map(({ email }) => email)).toEqual([
    'admin@localhost',
    'eve@example.com',
  ]);
});

test('promoting a profile that is not bound to a token prints a warning, and the list shows it', async () => {
  const { api, compose, runTool, createToken } = installation;
  await compose();
  await register(api, 'zoe');
  const { code, stdout, stderr } = await runTool('people', 'promote', 'zoe@example.com');
  expect([code, stdout]).toEqual([0, 'zoe@example.com is an admin.\n']);
  expect(stderr).toContain('the first person to present a token with its user id and email becomes the admin');
  const readListLine = async () =>
    (await runTool('people', 'list', '--admins')).stdout.split('\n').find((line) => line.includes('zoe@'));
  expect(await readListLine()).toContain('(not bound yet)');
  const stranger = { token: (await runTool('token', '--uid', 'zoe')).stdout.trim() };
  expect((await api.call(stranger, 'GET', '/api/profiles/')).status).toBe(401);
  expect((await api.call(await createToken('zoe'), 'GET', '/api/profiles/')).status).toBe(200);
  expect(await readListLine()).not.toContain('(not bound yet)');
  expect((await runTool('people', 'promote', 'zoe@example.com')).stderr).toBe('');
});

test('reindex embeds everything again, with and without a running service', async () => {
  writeDocument('a.json', document('First'));
  writeDocument('b.json', document('Second'));
  expect((await installation.runTool('import', join(installation.folder, 'documents'))).code).toBe(0);
  const offlineRun = await installation.runTool('--json', 'reindex');
  expect(offlineRun.code).toBe(0);
  const operations = { total: 2, done: 2, failed: 0 };
  expect(JSON.parse(offlineRun.stdout)).toMatchObject({ total: 2, done: 2, failed: 0, operations });
  await installation.compose();
  const onlineRun = await installation.runTool('--json', 'reindex');
  expect(JSON.parse(onlineRun.stdout)).toMatchObject({ total: 2, done: 2, failed: 0 });
  const matches = await installation.api.request<unknown[]>(
    await installation.createAdminToken(),
    'POST',
    '/api/vector/search',
    {
      query: 'first',
    },
  );
  expect(matches).toHaveLength(2);
});

test('the tool writes no heartbeat, which would make a dead worker look alive', async () => {
  const heartbeat = join(installation.folder, 'heartbeat');
  const otherInstallation = await openInstallation({ HEARTBEAT_FILE: heartbeat });
  expect((await otherInstallation.runTool('reindex')).code).toBe(0);
  expect(existsSync(heartbeat)).toBe(false);
});

/** Gives up jobs, in this order, and adds one that is due much later. */
const giveUpJobs = (...tasks: readonly JobTask[]): Promise<readonly string[]> =>
  withStores(async ({ ports: { embeddingJobs, outbox } }) => {
    const jobs = tasks.map((task) => ({ id: randomUUID() as JobId, task, group: null, dueAt: 0 }));
    const laterJob = { id: randomUUID() as JobId, task: embedTask, group: null, dueAt: Date.now() + 3_600_000 };
    await embeddingJobs.enqueue({ jobs: [...jobs, laterJob], deadline: null });
    for (const [index, { id }] of jobs.entries())
      await outbox.deadLetter(id, index, '550 5.1.1 no\u001b[2J\nsuch mailbox');
    return jobs.map(({ id }) => id);
  });

const profileId = randomUUID() as ProfileId;
const embedTask: JobTask = { kind: 'embed', collectionId: randomUUID() as CollectionId };
const mailTask: JobTask = { kind: 'mail.credentials', profileId, sealed: 'c2VhbGVk' };

test('dead letters are listed, and text from a server cannot break their lines', async () => {
  const [embed, mail] = await giveUpJobs(embedTask, mailTask);
  const { code, stdout } = await installation.runTool('jobs', 'list');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `${mail}  1970-01-01T00:00:00.001Z  mail.credentials  profile ${profileId}  1 attempt: 550 5.1.1 no [2J such mailbox`,
    expect.stringMatching(/its secret was removed: issue new credentials \(portico keys rotate EMAIL\)/),
    expect.stringMatching(new RegExp(`^${embed}  1970-01-01T00:00:00.000Z  embed  collection .*such mailbox$`)),
    '2 given up, 1 waiting.',
    '',
  ]);
  expect((await installation.runTool('jobs', 'list', '--limit', '1')).stdout).toContain('… and 1 more');
  const listing = await installation.runTool('jobs', 'list', '--json');
  expect(JSON.parse(listing.stdout)).toMatchObject({
    waiting: 1,
    given_up: 2,
    jobs: [
      { id: mail, profile_id: profileId, collection_id: null, attempts: 1, retryable: false },
      { id: embed, profile_id: null, given_up_at: '1970-01-01T00:00:00.000Z', retryable: true },
    ],
  });
});

test('a dead letter is retried while a service runs; one without its secret is discarded', async () => {
  const { compose, runTool } = installation;
  const [mailId = '', firstId = '', secondId = ''] = await giveUpJobs(mailTask, embedTask, embedTask);
  await compose();
  const retry = await runTool('--json', 'jobs', 'retry', firstId, mailId, 'nonsense');
  expect(retry.code).toBe(1);
  expect(JSON.parse(retry.stdout)).toEqual([
    { id: firstId, outcome: 'requeued' },
    { id: mailId, outcome: 'secret_removed' },
    { id: 'nonsense', outcome: 'not_given_up' },
  ]);
  expect(await runTool('jobs', 'retry', '--all')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 requeued, 1 still given up/) as string,
  });
  const readJobs = async () =>
    JSON.parse((await runTool('--json', 'jobs', 'list')).stdout) as { waiting: number; jobs: { id: string }[] };
  await expect.poll(readJobs).toMatchObject({ waiting: 1, jobs: [{ id: mailId }] });
  expect(await runTool('jobs', 'discard', mailId)).toMatchObject({ code: 0, stdout: `${mailId}  discarded\n` });
  expect((await runTool('jobs', 'discard', mailId, secondId)).code).toBe(1);
  expect((await runTool('jobs', 'retry', mailId)).stdout).toBe(`${mailId}  no job with this id was given up\n`);
  expect(await readJobs()).toMatchObject({ waiting: 1, jobs: [] });
});

test('keys check distinguishes a well-formed secret from a mistyped one, and prints neither', async () => {
  const secret = makeSecret(new Uint8Array(32).fill(3));
  const mistypedSecret = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  const wellFormedRun = await installation.runTool('keys', 'check', secret);
  const mistypedRun = await installation.runTool('--json', 'keys', 'check', mistypedSecret);
  expect(wellFormedRun).toMatchObject({ code: 0, stdout: expect.stringContaining('well formed') as string });
  expect(mistypedRun.code).toBe(1);
  expect(JSON.parse(mistypedRun.stdout)).toEqual({ well_formed: false });
  expect(wellFormedRun.stdout + mistypedRun.stdout + wellFormedRun.stderr + mistypedRun.stderr).not.toContain(
    'portico_sk_',
  );
});
