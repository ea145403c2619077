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
  // Inside the installation's folder, so that both are removed together.
  mkdirSync(join(installation.folder, 'kept'), { mode: 0o700 });
  archive = join(installation.folder, 'kept', 'monday.tar');
});

const document = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  paths: { '/forecast': { get: { responses: {} } } },
};
const authentication = { type: 'apiKey', name: 'X-Key', value: 'the upstream s3cret', in: 'header' };

/** A collection with a credential, and a client with a key. */
const fill = async ({ api, admin }: Installation) => {
  const caller = await admin();
  const collection = await addCollection(api, caller, { name: 'Weather', openapi_spec: document, authentication });
  const { key } = await addClient(api, caller, 'alice');
  return { caller, collection, key };
};

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const names = (folder: string): readonly string[] => readdirSync(folder).toSorted();
const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('a backup taken from a service that writes restores keys, credentials, tokens and operations in an empty folder', async () => {
  await installation.compose();
  const { caller, collection, key } = await fill(installation);
  let people = 0;
  let done = false;
  const writing = (async () => {
    while (!done) await register(installation.api, `person-${++people}`);
  })();
  const { code, stdout, stderr } = await installation.tool('backup', archive);
  done = true;
  await writing;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('monday.tar: portico.sqlite, secrets.key, local-issuer.key.');
  expect(modeOf(archive)).toBe(0o600);
  expect(names(join(archive, '..'))).toEqual(['monday.tar']);
  expect(people).toBeGreaterThan(1);

  const other = await openInstallation();
  const restored = await other.tool('--json', 'restore', archive);
  expect(restored.code).toBe(0);
  expect(JSON.parse(restored.stdout)).toMatchObject({ format: 1, kept_aside: [] });
  expect(names(other.folder)).toEqual(['local-issuer.key', 'portico.sqlite', 'secrets.key']);
  for (const name of names(other.folder)) expect(modeOf(join(other.folder, name))).toBe(0o600);
  await other.compose();
  expect((await other.api.call(key, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
  const metadata = await other.api.ask<object>(caller, 'GET', `/api/collections/${collection}/metadata`);
  expect(metadata).toMatchObject({ authentication });
  const operations = await other.api.ask<object[]>(caller, 'GET', `/api/collections/${collection}/operations`);
  expect(operations).toMatchObject([{ path: '/forecast' }]);
  const all = await other.api.ask<unknown[]>(caller, 'GET', '/api/profiles/');
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
  const refused = await installation.tool('backup', archive);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') as string });
  expect(readFileSync(archive, 'utf8')).toBe('of sunday');
  expect((await installation.tool('backup', archive, '--force')).code).toBe(0);
  expect(statSync(archive).size).toBeGreaterThan(10_000);
  expect(modeOf(archive)).toBe(0o600);
  const nowhere = await installation.tool('backup', join(installation.folder, 'nowhere', 'x.tar'));
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toMatch(/^portico: ENOENT: .*\n$/);
  expect(names(join(archive, '..'))).toEqual(['monday.tar']);
  expect(names(installation.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a restore is refused beside a service, and replaces data only with --force, keeping it aside', async () => {
  const service = await installation.start();
  await register(installation.api, 'before');
  expect((await installation.tool('backup', archive)).code).toBe(0);
  await register(installation.api, 'after');
  for (const force of [[], ['--force']]) {
    const { code, stderr } = await installation.tool('restore', archive, ...force);
    expect({ code, said: /already there|a process uses/.test(stderr) }).toEqual({ code: 1, said: true });
  }
  await service.kill();
  const database = join(installation.folder, 'portico.sqlite');
  const unforced = await installation.tool('restore', archive);
  expect(unforced.stderr).toContain(`already there: ${database}`);
  const { code, stdout } = await installation.tool('--json', 'restore', archive, '--force');
  expect(code).toBe(0);
  const { kept_aside: aside } = JSON.parse(stdout) as { kept_aside: string[] };
  // The keys are the same as in the backup.
  expect(aside).toEqual([expect.stringMatching(`^${database}\\.before-restore-`)]);
  expect(names(installation.folder).filter((name) => /-(wal|shm)$|\.new$|^\./.test(name))).toEqual([]);
  await installation.compose();
  const emails = async ({ api, admin }: Installation) =>
    (await api.ask<{ email: string }[]>(await admin(), 'GET', '/api/profiles/')).map(({ email }) => email);
  expect(await emails(installation)).toEqual(['admin@localhost', 'before@example.com']);
  const asideOnly = await openInstallation({ DATA_DIR: installation.folder, DATABASE_URL: `sqlite:${aside[0]}` });
  await asideOnly.compose();
  expect(await emails(asideOnly)).toContain('after@example.com');
});

test('an archive that is not a complete backup is refused, and nothing changes', async () => {
  await installation.tool('people', 'list', '--admins');
  expect((await installation.tool('backup', archive)).code).toBe(0);
  const folder = join(archive, '..');
  const made = (name: string, make: (path: string) => void): string => {
    const path = join(folder, name);
    make(path);
    return path;
  };
  const pack = (path: string, ...what: readonly string[]) => execFileSync('tar', ['-C', folder, '-cf', path, ...what]);
  execFileSync('tar', ['-C', folder, '-xf', archive]);
  const spoilt: [string, string][] = [
    [made('text', (path) => writeFileSync(path, 'no archive at all')), 'not an archive'],
    [made('empty', (path) => writeFileSync(path, '')), 'not an archive'],
    [
      made('cut', (path) => {
        writeFileSync(path, readFileSync(archive));
        truncateSync(path, statSync(archive).size / 2);
      }),
      'cannot be restored',
    ],
    [made('less', (path) => pack(path, 'manifest.json', 'portico.sqlite')), 'secrets.key is missing'],
    [
      made('more', (path) => {
        writeFileSync(join(folder, 'other'), 'x');
        pack(path, 'manifest.json', 'portico.sqlite', 'secrets.key', 'other');
      }),
      'other, which no backup has',
    ],
    [
      made('changed', (path) => {
        writeFileSync(join(folder, 'secrets.key'), 'another');
        pack(path, 'manifest.json', 'portico.sqlite', 'secrets.key', 'local-issuer.key');
      }),
      'secrets.key does not match its checksum',
    ],
    [join(folder, 'nowhere'), 'does not exist'],
  ];
  const before = names(installation.folder).map((name) => [
    name,
    name === 'kept' || digestOf(join(installation.folder, name)),
  ]);
  for (const [path, why] of spoilt) {
    const { code, stderr } = await installation.tool('restore', path, '--force');
    expect({ path, code, why: stderr.includes(why) }, stderr).toEqual({ path, code: 1, why: true });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  const after = names(installation.folder).map((name) => [
    name,
    name === 'kept' || digestOf(join(installation.folder, name)),
  ]);
  expect(after).toEqual(before);
});

test('the backup leaves out a key from outside the data folder, and says so', async () => {
  const given = await openInstallation({
    SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
    DATA_DIR: installation.folder,
  });
  await given.tool('people', 'list', '--admins');
  rmSync(join(installation.folder, 'secrets.key'), { force: true });
  const { code, stdout } = await given.tool('backup', archive);
  expect(code).toBe(0);
  expect(stdout).toContain('The secrets key is not in it: it comes from SECRETS_KEY.');
});

test('on PostgreSQL both commands name the tools to use instead', async () => {
  const elsewhere = await openInstallation({ DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico' });
  for (const [command, instead] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { code, stderr } = await elsewhere.tool(command, archive);
    expect(code).toBe(1);
    expect(stderr).toContain(instead);
    expect(stderr).toContain('secrets.key');
    expect(stderr).not.toContain('hunter2');
  }
});
