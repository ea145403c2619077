import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { compose, createLogger, readConfig, type Composition } from '@portico/composition';
import { anAdmin, noEffects } from '@portico/contracts';
import { makeSecret, type CollectionId, type JobId, type JobTask, type ProfileId } from '@portico/domain';
import { root } from '../src/service-process.ts';
import { createInstallation, type Installation } from './installation.ts';

let installation: Installation;
beforeEach(async () => {
  installation = await createInstallation();
});
afterEach(() => installation.remove());

const document = (title: string, description = '', paths = {}) =>
  JSON.stringify({ openapi: '3.0.3', info: { title, description, version: '1' }, paths });

const write = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

const silent = createLogger('silent', 'test');

/** Works on the stores of the installation in this process. */
const withStores = async <T>(work: (portico: Composition) => Promise<T>): Promise<T> => {
  const config = readConfig({ DATA_DIR: installation.folder, NODE_ENV: 'development' });
  const portico = await compose(config, silent, 'tool');
  try {
    return await work(portico);
  } finally {
    await portico.close();
  }
};

interface Summary {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly refused: number;
  readonly taken: readonly {
    readonly file: string;
    readonly id: string;
    readonly name: string;
    readonly outcome: string;
    readonly description_derived: boolean;
    readonly warnings: number;
    readonly departures: readonly { readonly pointer: string; readonly message: string }[];
  }[];
  readonly skipped_files: readonly { readonly file: string; readonly reason: string }[];
  readonly refused_files: readonly { readonly file: string; readonly reason: string }[];
}

const importing = async (...args: readonly string[]): Promise<Summary & { readonly code: number }> => {
  const { code, stdout, stderr } = await installation.tool('--json', 'import', ...args);
  if (!stdout) throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Summary), code };
};

test('token prints nothing but the token on standard output, with and without a running service', async () => {
  const before = await installation.tool('token', '--admin');
  await installation.compose();
  const after = await installation.tool('token', '--uid', 'alice', '--email', 'alice@example.com', '--ttl', '60');
  for (const { code, stdout, stderr } of [before, after]) {
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(stderr).toBe('');
  }
  const { status } = await installation.api.call({ token: before.stdout.trim() }, 'GET', '/api/profiles/');
  expect(status).toBe(200);
  expect((await installation.api.call({ token: after.stdout.trim() }, 'GET', '/api/profiles/me')).status).toBe(404);
});

test.each([
  [['token'], 2, 'pass --uid'],
  [['token', '--email', 'x@example.com'], 2, 'pass --uid'],
  [['token', '--admin', '--uid', 'x'], 2, 'cannot be used with option'],
  [['token', '--admin', '--email', 'x@example.com'], 2, 'cannot be used with option'],
  [['token', '--uid', 'x', '--groups', 'a,b'], 2, 'set IDENTITY_GROUPS_CLAIM'],
  [['token', '--uid', 'x', '--ttl', '0'], 2, 'from 1 to 86400'],
  [['token', '--uid', 'x', '--ttl', '86401'], 2, 'from 1 to 86400'],
  [['token', '--uid', 'x', '--ttl', 'abc'], 2, 'from 1 to 86400'],
  [['admin', 'promote', 'nobody@example.com'], 1, 'no profile is registered'],
  [['import', 'nowhere.json'], 1, 'no such file'],
  [['import', '--as', 'nobody@example.com', '.'], 1, 'no admin has the e-mail'],
  [['nonsense'], 2, 'unknown command'],
  [['import'], 2, 'missing required argument'],
  [['token', '--nonsense'], 2, 'unknown option'],
  [['jobs', 'list', '--limit', '0'], 2, 'from 1 to 10000'],
  [['jobs', 'list', '--limit', 'abc'], 2, 'from 1 to 10000'],
  [['jobs', 'list', '--limit', '1e3'], 2, 'from 1 to 10000'],
  [['jobs', 'retry'], 2, 'pass the ids'],
  [['jobs', 'retry', '--all', 'x'], 2, 'pass the ids'],
  [['jobs', 'discard'], 2, 'missing required argument'],
])('%j exits with %i and says what is wrong', async (args, code, said) => {
  const ran = await installation.tool(...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(said);
});

test('help names every command and exits with 0', async () => {
  const { code, stdout } = await installation.tool('--help');
  expect(code).toBe(0);
  for (const command of ['token', 'admin', 'import', 'reindex', 'jobs', 'key', 'doctor'])
    expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
});

test('the version is that of the project', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(await installation.tool('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('text from strangers cannot control the terminal that lists it', async () => {
  await withStores(({ ports }) =>
    ports.profiles.add(anAdmin({ fullName: 'Eve\u001b[2J\u202e\n0b9f6a52  root@example.com  Root\u2028' }), noEffects),
  );
  const { stdout } = await installation.tool('admin', 'list');
  expect(stdout.trim().split('\n')).toHaveLength(2);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  const json = await installation.tool('--json', 'admin', 'list');
  expect(json.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('an unreachable server is reported in sentences', async () => {
  const other = await createInstallation({ DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico' });
  onTestFinished(() => other.remove());
  const child = other.spawnTool('admin', 'list');
  let said = '';
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
  await expect.poll(() => said).toContain('\n');
  expect(said).toMatch(
    /^portico: warning: The database at 127\.0\.0\.1:9\/portico cannot be reached; retrying for up to .*\n/,
  );
  expect(said).not.toMatch(/hunter2|"level"|\n +at /);
});

test('an invalid user id for a token is wrong usage, not an error with a stack', async () => {
  const { code, stderr } = await installation.tool('token', '--uid', 'x'.repeat(129));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^portico: uid must have .*\n$/) as string,
  });
});

test('an invalid configuration is reported, and the command does nothing', async () => {
  const other = await createInstallation({ JOBS: 'sometimes' });
  onTestFinished(() => other.remove());
  const { code, stderr } = await other.tool('admin', 'list');
  expect(code).toBe(1);
  expect(stderr).toContain('JOBS: read "sometimes"');
});

test('a profile that registered can be promoted, and is an admin in the next request', async () => {
  const { api, compose, tool, person } = installation;
  await compose();
  await api.ask(null, 'POST', '/api/profiles/register', {
    firebase_uid: 'eve',
    email: 'Eve@Example.com',
    full_name: 'Eve',
  });
  const eve = await person('eve');
  expect((await api.call(eve, 'GET', '/api/profiles/')).status).toBe(403);
  expect((await tool('admin', 'promote', 'EVE@example.com')).code).toBe(0);
  expect((await api.call(eve, 'GET', '/api/profiles/')).status).toBe(200);
  const { stdout } = await tool('--json', 'admin', 'list');
  expect((JSON.parse(stdout) as { email: string }[]).map(({ email }) => email)).toEqual([
    'admin@localhost',
    'eve@example.com',
  ]);
});

test('promoting a profile that no token has bound causes a warning, and the list shows it', async () => {
  const { api, compose, tool, person } = installation;
  await compose();
  const registration = { firebase_uid: 'zoe', email: 'zoe@example.com', full_name: 'Zoe' };
  await api.ask(null, 'POST', '/api/profiles/register', registration);
  const { code, stdout, stderr } = await tool('admin', 'promote', 'zoe@example.com');
  expect([code, stdout]).toEqual([0, 'zoe@example.com is an admin.\n']);
  expect(stderr).toContain('whoever first presents a token with its user id and e-mail becomes the admin');
  const listed = async () => (await tool('admin', 'list')).stdout.split('\n').find((line) => line.includes('zoe@'));
  expect(await listed()).toContain('(not bound yet)');
  const stranger = { token: (await tool('token', '--uid', 'zoe')).stdout.trim() };
  expect((await api.call(stranger, 'GET', '/api/profiles/')).status).toBe(401);
  expect((await api.call(await person('zoe'), 'GET', '/api/profiles/')).status).toBe(200);
  expect(await listed()).not.toContain('(not bound yet)');
  expect((await tool('admin', 'promote', 'zoe@example.com')).stderr).toBe('');
});

test('an import reports what was taken, skipped and refused, and why', async () => {
  write('good.json', document('Good'));
  write('deep/er/good.yaml', 'openapi: 3.1.0\ninfo: {title: Good too, version: "1"}\npaths: {}\n');
  write('departing.json', JSON.stringify({ openapi: '3.0.3', info: { title: 'Departing' }, paths: {} }));
  write('list.json', '[{"openapi": "3.0.3"}]');
  write('package.json', '{"name": "x", "config": {"openapi": "3.0.3"}}');
  write('notes.txt', 'not looked at');
  write('broken.json', '{"openapi": "3.0.3",\n "info": {"title": "x"},\n "paths": }');
  write('old.json', '{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "paths": {}}');
  const summary = await importing(join(installation.folder, 'documents'));
  expect(summary).toMatchObject({ code: 1, created: 3, updated: 0, unchanged: 0, skipped: 2, refused: 2 });
  expect(summary.taken.find(({ name }) => name === 'Departing')?.warnings).toBeGreaterThan(0);
  expect(summary.skipped_files[0]).toMatchObject({ reason: 'no OpenAPI document' });
  const reasons = Object.fromEntries(
    summary.refused_files.map(({ file, reason }) => [file.replace(/.*\//, ''), reason]),
  );
  expect(reasons['broken.json']).toMatch(/line 3/);
  expect(reasons['old.json']).toMatch(/Swagger "2\.0" is not supported/);
});

test('an import reports the outcome of each file, and on demand where a document departs from the schema', async () => {
  write('good.json', document('Good\u202eone\u0007', 'Two\r\nlines\u001b[2J'));
  write('departing.json', JSON.stringify({ openapi: '3.0.3', info: { title: 'Departing' }, paths: {} }));
  write('package.json', '{}');
  write('old.json', '{"swagger": "2.0", "info": {"title": "x", "version": "1"}, "paths": {}}');
  const folder = join(installation.folder, 'documents');
  const id = '[0-9a-f-]{36}';
  const first = await installation.tool('import', folder);
  expect(first.stdout.split('\n')).toEqual([
    expect.stringMatching(`^created    ${id}  Departing  \\(${folder}/departing.json\\)  1 departure$`),
    expect.stringMatching(`^created    ${id}  Good one  \\(${folder}/good.json\\)$`),
    `skipped    ${folder}/package.json: no OpenAPI document`,
    expect.stringMatching(`^refused    ${folder}/old.json: .*Swagger`),
    '2 created, 0 updated, 0 unchanged, 1 skipped, 1 refused.',
    '1 document with departures from the official schema: --explain shows them.',
    '',
  ]);
  const again = await installation.tool('import', folder, '--explain');
  expect(again.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(`^unchanged  ${id}  Departing  .*  1 departure$`),
    expect.stringMatching(/^ {4}\/info {2}.*version/),
  ]);
  const named = await importing(folder, '--verbose');
  expect(named.taken.find(({ name }) => name === 'Departing')).toMatchObject({
    warnings: 1,
    departures: [{ pointer: '/info' }],
  });
  const good = named.taken.find(({ name }) => name === 'Good one');
  const kept = await withStores(({ ports }) => ports.collections.find(good?.id as CollectionId));
  expect(kept?.description).toBe('Two\nlines[2J');
});

test('an import describes a document that has no description by its words, and says so', async () => {
  write(
    'roads.json',
    document('Roads', '', {
      '/v1/bridges/{id}/tolls': { get: { summary: 'Reads a toll', responses: { 200: { description: 'It' } } } },
    }),
  );
  write('described.json', document('Described', 'In its own words'));
  const folder = join(installation.folder, 'documents');
  const { taken } = await importing(folder);
  expect(taken.map(({ name, description_derived }) => [name, description_derived])).toEqual([
    ['Described', false],
    ['Roads', true],
  ]);
  const roads = await withStores(({ ports }) => ports.collections.find(taken[1]?.id as CollectionId));
  expect(roads?.description).toBe('Bridges, tolls. Reads a toll.');
  const again = await installation.tool('import', folder, '--verbose');
  expect(again.stdout).toMatch(/^unchanged .* {2}Roads {2}\(.*roads\.json\) {2}description derived/m);
});

test('an import follows a link that is named, but none that is found in a folder', async () => {
  write('one/a.json', document('A'));
  const elsewhere = write('elsewhere/b.json', document('B'));
  const folder = join(installation.folder, 'documents', 'one');
  symlinkSync('..', join(folder, 'loop'));
  symlinkSync(join(elsewhere, '..'), join(folder, 'other'));
  expect(await importing(folder)).toMatchObject({ code: 0, created: 1 });
  expect(await importing(join(folder, '**/*.json'))).toMatchObject({ created: 0, unchanged: 1 });
  const link = join(installation.folder, 'documents', 'link.json');
  symlinkSync(elsewhere, link);
  expect(await importing(link)).toMatchObject({ created: 1 });
  expect(await importing(join(folder, 'other'))).toMatchObject({ created: 1 });
});

test('a second import updates instead of duplicating, also by glob, by file and from a copy with --base', async () => {
  const documents = join(installation.folder, 'documents');
  const file = write('a.json', document('First'));
  write('b.json', document('Second'));
  expect(await importing(documents)).toMatchObject({ code: 0, created: 2 });
  expect(await importing(join(documents, '*.json'))).toMatchObject({ created: 0, unchanged: 2 });
  write('a.json', document('First, reworded'));
  expect(await importing(file, file)).toMatchObject({ created: 0, updated: 1, unchanged: 0 });

  const based = write('based/c.json', document('Third'));
  expect(await importing(based, '--base', join(documents, 'based'))).toMatchObject({ created: 1 });
  const copy = write('copy/c.json', document('Third'));
  expect(await importing(copy, '--base', join(documents, 'copy'))).toMatchObject({ created: 0, unchanged: 1 });
});

test('a departure from the official schema is refused with --strict', async () => {
  const file = write('departing.json', JSON.stringify({ openapi: '3.0.3', info: { title: 'Departing' }, paths: {} }));
  const { code, refused_files } = await importing(file, '--strict');
  expect(code).toBe(1);
  expect(refused_files[0]?.reason).toContain('version');
});

test('a running service sees an import in its next request, and finds it within seconds', async () => {
  const { api, compose, admin } = installation;
  await compose();
  const caller = await admin();
  expect(await api.ask(caller, 'GET', '/api/collections/')).toEqual([]);
  await importing(write('weather.json', document('Weather', 'Forecasts of rain and wind')));
  expect(await api.ask(caller, 'GET', '/api/collections/')).toMatchObject([{ name: 'Weather' }]);
  for (let attempt = 0; attempt < 300; attempt++) {
    const found = await api.ask<{ collection_name: string }[]>(caller, 'POST', '/api/vector/search', { query: 'rain' });
    if (found.length > 0) return expect(found[0]?.collection_name).toBe('Weather');
    await pause(100);
  }
  throw new Error('It was not found within 30 s');
});

test('reindex embeds everything again, beside a running service and without one', async () => {
  write('a.json', document('First'));
  write('b.json', document('Second'));
  await importing(join(installation.folder, 'documents'));
  const alone = await installation.tool('--json', 'reindex');
  expect(alone.code).toBe(0);
  const operations = { total: 2, done: 2, failed: 0 };
  expect(JSON.parse(alone.stdout)).toMatchObject({ total: 2, done: 2, failed: 0, operations });
  await installation.compose();
  const beside = await installation.tool('--json', 'reindex');
  expect(JSON.parse(beside.stdout)).toMatchObject({ total: 2, done: 2, failed: 0 });
  const found = await installation.api.ask<unknown[]>(await installation.admin(), 'POST', '/api/vector/search', {
    query: 'first',
  });
  expect(found).toHaveLength(2);
});

test('the tool writes no heartbeat, which would make a dead worker look alive', async () => {
  const heartbeat = join(installation.folder, 'heartbeat');
  const operated = await createInstallation({ HEARTBEAT_FILE: heartbeat });
  onTestFinished(() => operated.remove());
  expect((await operated.tool('reindex')).code).toBe(0);
  expect(existsSync(heartbeat)).toBe(false);
});

/** Gives up jobs, in this order, beside one that waits until much later. */
const giveUpJobs = (...tasks: readonly JobTask[]): Promise<readonly string[]> =>
  withStores(async ({ ports: { embeddingJobs, outbox } }) => {
    const jobs = tasks.map((task) => ({ id: randomUUID() as JobId, task, group: null, dueAt: 0 }));
    const later = { id: randomUUID() as JobId, task: embedTask, group: null, dueAt: Date.now() + 3_600_000 };
    await embeddingJobs.enqueue({ jobs: [...jobs, later], deadline: null });
    for (const [at, { id }] of jobs.entries()) await outbox.deadLetter(id, at, '550 5.1.1 no\u001b[2J\nsuch mailbox');
    return jobs.map(({ id }) => id);
  });

const profileId = randomUUID() as ProfileId;
const embedTask: JobTask = { kind: 'embed', collectionId: randomUUID() as CollectionId };
const mailTask: JobTask = { kind: 'mail.credentials', profileId, sealed: 'c2VhbGVk' };

test('index rebuild refuses an index inside the service and says why', async () => {
  const { code, stdout, stderr } = await installation.tool('index', 'rebuild');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('QDRANT_URL is not set');
});

test('jobs that were given up are listed, on lines that no server text can control', async () => {
  const [embed, mail] = await giveUpJobs(embedTask, mailTask);
  const { code, stdout } = await installation.tool('jobs', 'list');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `${mail}  1970-01-01T00:00:00.001Z  mail.credentials  profile ${profileId}  1 attempt: 550 5.1.1 no [2J such mailbox`,
    expect.stringMatching(
      /its secret was removed: issue new credentials \(POST \/api\/profiles\/\{id\}\/credentials\)/,
    ),
    expect.stringMatching(new RegExp(`^${embed}  1970-01-01T00:00:00.000Z  embed  collection .*such mailbox$`)),
    '2 given up, 1 waiting.',
    '',
  ]);
  expect((await installation.tool('jobs', 'list', '--limit', '1')).stdout).toContain('… and 1 more');
  const listed = await installation.tool('jobs', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({
    waiting: 1,
    given_up: 2,
    jobs: [
      { id: mail, profile_id: profileId, collection_id: null, attempts: 1, retryable: false },
      { id: embed, profile_id: null, given_up_at: '1970-01-01T00:00:00.000Z', retryable: true },
    ],
  });
});

test('a job that was given up is retried beside a running service; one whose secret is gone is reported and discarded', async () => {
  const { compose, tool } = installation;
  const [mail = '', first = '', second = ''] = await giveUpJobs(mailTask, embedTask, embedTask);
  await compose();
  const retried = await tool('--json', 'jobs', 'retry', first, mail, 'nonsense');
  expect(retried.code).toBe(1);
  expect(JSON.parse(retried.stdout)).toEqual([
    { id: first, outcome: 'requeued' },
    { id: mail, outcome: 'secret_removed' },
    { id: 'nonsense', outcome: 'not_given_up' },
  ]);
  expect(await tool('jobs', 'retry', '--all')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 requeued, 1 still given up/) as string,
  });
  const state = async () =>
    JSON.parse((await tool('--json', 'jobs', 'list')).stdout) as { waiting: number; jobs: { id: string }[] };
  for (let attempt = 0; attempt < 20 && (await state()).waiting > 1; attempt++) await pause(100);
  expect(await state()).toMatchObject({ waiting: 1, jobs: [{ id: mail }] });
  expect(await tool('jobs', 'discard', mail)).toMatchObject({ code: 0, stdout: `${mail}  discarded\n` });
  expect((await tool('jobs', 'discard', mail, second)).code).toBe(1);
  expect((await tool('jobs', 'retry', mail)).stdout).toBe(`${mail}  no such job was given up\n`);
  expect(await state()).toMatchObject({ waiting: 1, jobs: [] });
});

test('key check tells a well-formed secret from a mistyped one and repeats neither', async () => {
  const secret = makeSecret(new Uint8Array(32).fill(3));
  const mistyped = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  const good = await installation.tool('key', 'check', secret);
  const bad = await installation.tool('--json', 'key', 'check', mistyped);
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('well formed') as string });
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toEqual({ well_formed: false });
  expect(good.stdout + bad.stdout + good.stderr + bad.stderr).not.toContain('portico_sk_');
});
