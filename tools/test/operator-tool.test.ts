import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSecret } from '@portico/domain';
import { createInstallation, type Installation } from './installation.ts';

let installation: Installation;
beforeEach(async () => {
  installation = await createInstallation();
});
afterEach(() => installation.remove());

const document = (title: string, description = '') =>
  JSON.stringify({ openapi: '3.0.3', info: { title, description, version: '1' }, paths: {} });

const write = (name: string, content: string): string => {
  const file = join(installation.folder, 'documents', name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
};

interface Summary {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly refused: number;
  readonly taken: readonly {
    readonly file: string;
    readonly name: string;
    readonly outcome: string;
    readonly warnings: number;
  }[];
  readonly skipped_files: readonly { readonly file: string; readonly reason: string }[];
  readonly refused_files: readonly { readonly file: string; readonly reason: string }[];
}

const importing = async (...args: readonly string[]): Promise<Summary & { readonly code: number }> => {
  const { code, stdout, stderr } = await installation.tool('--json', 'import', ...args);
  if (!stdout) throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Summary), code };
};

test('a token stands alone on standard output, with and without a running service', async () => {
  const before = await installation.tool('token', '--admin');
  await installation.start();
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
  [['token'], 1, 'say for whom'],
  [['token', '--admin', '--uid', 'x'], 1, 'stands in place of'],
  [['token', '--uid', 'x', '--ttl', '0'], 1, 'from 1 to 86400'],
  [['admin', 'promote', 'nobody@example.com'], 1, 'no profile is registered'],
  [['import', 'nowhere.json'], 1, 'no such file'],
  [['import', '--as', 'nobody@example.com', '.'], 1, 'no admin has the e-mail'],
  [['nonsense'], 2, 'unknown command'],
  [['import'], 2, 'missing required argument'],
  [['token', '--nonsense'], 2, 'unknown option'],
])('%j ends with %i and says what is wrong', async (args, code, said) => {
  const ran = await installation.tool(...args);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(said);
});

test('help names every command and ends with 0', async () => {
  const { code, stdout } = await installation.tool('--help');
  expect(code).toBe(0);
  for (const command of ['token', 'admin', 'import', 'reindex', 'key'])
    expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
});

test('a fault of the configuration is named, and nothing is done', async () => {
  const other = await createInstallation({ JOBS: 'sometimes' });
  const { code, stderr } = await other.tool('admin', 'list');
  expect(code).toBe(1);
  expect(stderr).toContain('JOBS: read "sometimes"');
  await other.remove();
});

test('a profile that registered can be promoted, and is an admin in the next request', async () => {
  const { api, start, tool, person } = installation;
  await start();
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

test('importing tells what was taken, skipped and refused, and why', async () => {
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

test('importing again updates instead of doubling, also by glob, by file and from a copy with --base', async () => {
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
  const { api, start, admin } = installation;
  await start();
  const caller = await admin();
  expect(await api.ask(caller, 'GET', '/api/collections/')).toEqual([]);
  await importing(write('weather.json', document('Weather', 'Forecasts of rain and wind')));
  expect(await api.ask(caller, 'GET', '/api/collections/')).toMatchObject([{ name: 'Weather' }]);
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await api.ask<{ collection_name: string }[]>(caller, 'POST', '/api/vector/search', { query: 'rain' });
    if (found.length > 0) return expect(found[0]?.collection_name).toBe('Weather');
    await pause(100);
  }
  throw new Error('It was not found within 10 s');
});

test('reindex embeds everything anew, beside a running service and without one', async () => {
  write('a.json', document('First'));
  write('b.json', document('Second'));
  await importing(join(installation.folder, 'documents'));
  const alone = await installation.tool('--json', 'reindex');
  expect(alone.code).toBe(0);
  expect(JSON.parse(alone.stdout)).toMatchObject({ total: 2, done: 2, failed: 0 });
  await installation.start();
  const beside = await installation.tool('--json', 'reindex');
  expect(JSON.parse(beside.stdout)).toMatchObject({ total: 2, done: 2, failed: 0 });
  const found = await installation.api.ask<unknown[]>(await installation.admin(), 'POST', '/api/vector/search', {
    query: 'first',
  });
  expect(found).toHaveLength(2);
});

test('a well-formed secret is told from a mistyped one, and neither is repeated', async () => {
  const secret = makeSecret(new Uint8Array(32).fill(3));
  const mistyped = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  const good = await installation.tool('key', 'check', secret);
  const bad = await installation.tool('--json', 'key', 'check', mistyped);
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('well formed') as string });
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toEqual({ well_formed: false });
  expect(good.stdout + bad.stdout + good.stderr + bad.stderr).not.toContain('portico_sk_');
});
