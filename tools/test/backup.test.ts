import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { beforeEach, expect, test } from 'vitest';
import { addClient, addCollection, register } from './clients.ts';
import type { Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

let installation: Installation;
let archive: string;
beforeEach(async () => {
  installation = await openInstallation();
  // The archive is inside the installation's folder, so that both are removed together.
  mkdirSync(join(installation.folder, 'backups'), { mode: 0o700 });
  archive = join(installation.folder, 'backups', 'monday.tar');
});

const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: { '/forecast': { get: { responses: {} } } },
};
const authentication = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret', in: 'header' };

/** Creates a collection with a credential, and a client with a key. */
const fill = async ({ api, admin }: Installation) => {
  const caller = await admin();
  const collection = await addCollection(api, caller, { name: 'Weather', openapi_spec: document, authentication });
  const { key } = await addClient(api, caller, 'alice');
  return { caller, collection, key };
};

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const names = (folder: string): readonly string[] => readdirSync(folder).toSorted();
const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('a backup of a service under load restores keys, credentials, tokens and operations', async () => {
  await installation.compose();
  const { caller, collection, key } = await fill(installation);
  let people = 0;
  let done = false;
  const writer = (async () => {
    while (!done) await register(installation.api, `person-${++people}`);
  })();
  const { code, stdout, stderr } = await installation.tool('backup', archive);
  done = true;
  await writer;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('monday.tar: portico.sqlite, secrets.key, local-issuer.key.');
  expect(modeOf(archive)).toBe(0o600);
  expect(names(join(archive, '..'))).toEqual(['monday.tar']);
  expect(people).toBeGreaterThan(1);

  const other = await openInstallation();
  const restore = await other.tool('--json', 'restore', archive);
  expect(restore.code).toBe(0);
  expect(JSON.parse(restore.stdout)).toMatchObject({ format: 1, kept_aside: [] });
  expect(names(other.folder)).toEqual(['local-issuer.key', 'portico.sqlite', 'secrets.key']);
  for (const name of names(other.folder)) expect(modeOf(join(other.folder, name))).toBe(0o600);
  await other.compose();
  expect((await other.api.call(key, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
  const metadata = await other.api.request<object>(caller, 'GET', `/api/collections/${collection}/metadata`);
  expect(metadata).toMatchObject({ authentication });
  const operations = await other.api.request<object[]>(caller, 'GET', `/api/collections/${collection}/operations`);
  expect(operations).toMatchObject([{ path: '/forecast' }]);
  const all = await other.api.request<unknown[]>(caller, 'GET', '/api/profiles/');
  expect(all.length).toBeGreaterThanOrEqual(2);
  expect(all.length).toBeLessThanOrEqual(people + 2);
});

test('a backup replaces an existing file only with --force, and leaves nothing behind if it fails', async () => {
  expect(await installation.tool('backup', archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is nothing to back up') as string,
  });
  await installation.tool('people', 'list', '--admins');
  writeFileSync(archive, 'of sunday');
  const rejection = await installation.tool('backup', archive);
  expect(rejection).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') as string });
  expect(readFileSync(archive, 'utf8')).toBe('of sunday');
  expect((await installation.tool('backup', archive, '--force')).code).toBe(0);
  expect(statSync(archive).size).toBeGreaterThan(10_000);
  expect(modeOf(archive)).toBe(0o600);
  const failure = await installation.tool('backup', join(installation.folder, 'nowhere', 'x.tar'));
  expect(failure.code).toBe(1);
  expect(failure.stderr).toMatch(/^portico: ENOENT: .*\n$/);
  expect(names(join(archive, '..'))).toEqual(['monday.tar']);
  expect(names(installation.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a restore is rejected while a service runs; with --force, it sets existing data aside', async () => {
  const service = await installation.start();
  await register(installation.api, 'before');
  expect((await installation.tool('backup', archive)).code).toBe(0);
  await register(installation.api, 'after');
  for (const force of [[], ['--force']]) {
    const { code, stderr } = await installation.tool('restore', archive, ...force);
    expect({ code, isExplained: /already there|a process uses/.test(stderr) }).toEqual({ code: 1, isExplained: true });
  }
  await service.kill();
  const database = join(installation.folder, 'portico.sqlite');
  const rejection = await installation.tool('restore', archive);
  expect(rejection.stderr).toContain(`already there: ${database}`);
  const { code, stdout } = await installation.tool('--json', 'restore', archive, '--force');
  expect(code).toBe(0);
  const { kept_aside: aside } = JSON.parse(stdout) as Record<'kept_aside', string[]>;
  // The keys are the same as in the backup.
  expect(aside).toEqual([expect.stringMatching(`^${database}\\.before-restore-`)]);
  expect(names(installation.folder).filter((name) => /-(wal|shm)$|\.new$|^\./.test(name))).toEqual([]);
  await installation.compose();
  const emails = async ({ api, admin }: Installation) =>
    (await api.request<{ email: string }[]>(await admin(), 'GET', '/api/profiles/')).map(({ email }) => email);
  expect(await emails(installation)).toEqual(['admin@localhost', 'before@example.com']);
  const previousData = await openInstallation({ DATA_DIR: installation.folder, DATABASE_URL: `sqlite:${aside[0]}` });
  await previousData.compose();
  expect(await emails(previousData)).toContain('after@example.com');
});

test('an archive that is not a complete backup is rejected, and nothing changes', async () => {
  await installation.tool('people', 'list', '--admins');
  expect((await installation.tool('backup', archive)).code).toBe(0);
  const folder = join(archive, '..');
  const makeFile = (name: string, make: (path: string) => void): string => {
    const path = join(folder, name);
    make(path);
    return path;
  };
  const pack = (path: string, ...files: readonly string[]) =>
    execFileSync('tar', ['-C', folder, '-cf', path, ...files]);
  execFileSync('tar', ['-C', folder, '-xf', archive]);
  const invalidArchives: [string, string][] = [
    [makeFile('text', (path) => writeFileSync(path, 'no archive at all')), 'not an archive'],
    [makeFile('empty', (path) => writeFileSync(path, '')), 'not an archive'],
    [
      makeFile('cut', (path) => {
        writeFileSync(path, readFileSync(archive));
        truncateSync(path, statSync(archive).size / 2);
      }),
      'cannot be restored',
    ],
    [makeFile('less', (path) => pack(path, 'manifest.json', 'portico.sqlite')), 'secrets.key is missing'],
    [
      makeFile('more', (path) => {
        writeFileSync(join(folder, 'other'), 'x');
        pack(path, 'manifest.json', 'portico.sqlite', 'secrets.key', 'other');
      }),
      'other, which is not part of a backup',
    ],
    [
      makeFile('changed', (path) => {
        writeFileSync(join(folder, 'secrets.key'), 'another');
        pack(path, 'manifest.json', 'portico.sqlite', 'secrets.key', 'local-issuer.key');
      }),
      'secrets.key does not match its checksum',
    ],
    [join(folder, 'nowhere'), 'does not exist'],
  ];
  const before = names(installation.folder).map((name) => [
    name,
    name === 'backups' || digestOf(join(installation.folder, name)),
  ]);
  for (const [path, reason] of invalidArchives) {
    const { code, stderr } = await installation.tool('restore', path, '--force');
    expect({ path, code, isExplained: stderr.includes(reason) }, stderr).toEqual({ path, code: 1, isExplained: true });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  const after = names(installation.folder).map((name) => [
    name,
    name === 'backups' || digestOf(join(installation.folder, name)),
  ]);
  expect(after).toEqual(before);
});

test('the backup omits a key from outside the data folder, and reports that', async () => {
  const withOwnKey = await openInstallation({
    SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
    DATA_DIR: installation.folder,
  });
  await withOwnKey.tool('people', 'list', '--admins');
  rmSync(join(installation.folder, 'secrets.key'), { force: true });
  const { code, stdout } = await withOwnKey.tool('backup', archive);
  expect(code).toBe(0);
  expect(stdout).toContain('The secrets key is not in it: it comes from SECRETS_KEY.');
});

test('on PostgreSQL, both commands name the tools to use instead', async () => {
  const onPostgresql = await openInstallation({ DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico' });
  for (const [command, alternative] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { code, stderr } = await onPostgresql.tool(command, archive);
    expect(code).toBe(1);
    expect(stderr).toContain(alternative);
    expect(stderr).toContain('secrets.key');
    expect(stderr).not.toContain('hunter2');
  }
});
