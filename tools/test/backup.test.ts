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
const seedInstallation = async ({ api, createAdminToken }: Installation) => {
  const caller = await createAdminToken();
  const collection = await addCollection(api, caller, { name: 'Weather', openapi_spec: document, authentication });
  const { key } = await addClient(api, caller, 'alice');
  return { caller, collection, key };
};

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const listFiles = (folder: string): readonly string[] => readdirSync(folder).toSorted();
const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('a backup of a service under load restores keys, credentials, tokens and operations', async () => {
  await installation.compose();
  const { caller, collection, key } = await seedInstallation(installation);
  let personCount = 0;
  let isDone = false;
  const writer = (async () => {
    while (!isDone) await register(installation.api, `person-${++personCount}`);
  })();
  const { code, stdout, stderr } = await installation.runTool('backup', archive);
  isDone = true;
  await writer;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('monday.tar: portico.sqlite, secrets.key, local-issuer.key.');
  expect(modeOf(archive)).toBe(0o600);
  expect(listFiles(join(archive, '..'))).toEqual(['monday.tar']);
  expect(personCount).toBeGreaterThan(1);

  const restoredInstallation = await openInstallation();
  const restoreRun = await restoredInstallation.runTool('--json', 'restore', archive);
  expect(restoreRun.code).toBe(0);
  expect(JSON.parse(restoreRun.stdout)).toMatchObject({ format: 1, kept_aside: [] });
  expect(listFiles(restoredInstallation.folder)).toEqual(['local-issuer.key', 'portico.sqlite', 'secrets.key']);
  for (const name of listFiles(restoredInstallation.folder))
    expect(modeOf(join(restoredInstallation.folder, name))).toBe(0o600);
  await restoredInstallation.compose();
  expect((await restoredInstallation.api.call(key, 'POST', '/api/vector/search', { query: 'x' })).status).toBe(200);
  const metadata = await restoredInstallation.api.request<object>(
    caller,
    'GET',
    `/api/collections/${collection}/metadata`,
  );
  expect(metadata).toMatchObject({ authentication });
  const operations = await restoredInstallation.api.request<object[]>(
    caller,
    'GET',
    `/api/collections/${collection}/operations`,
  );
  expect(operations).toMatchObject([{ path: '/forecast' }]);
  const profiles = await restoredInstallation.api.request<unknown[]>(caller, 'GET', '/api/profiles/');
  expect(profiles.length).toBeGreaterThanOrEqual(2);
  expect(profiles.length).toBeLessThanOrEqual(personCount + 2);
});

test('a backup replaces an existing file only with --force, and leaves nothing behind if it fails', async () => {
  expect(await installation.runTool('backup', archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is nothing to back up') as string,
  });
  await installation.runTool('people', 'list', '--admins');
  writeFileSync(archive, 'of sunday');
  const rejection = await installation.runTool('backup', archive);
  expect(rejection).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') as string });
  expect(readFileSync(archive, 'utf8')).toBe('of sunday');
  expect((await installation.runTool('backup', archive, '--force')).code).toBe(0);
  expect(statSync(archive).size).toBeGreaterThan(10_000);
  expect(modeOf(archive)).toBe(0o600);
  const failure = await installation.runTool('backup', join(installation.folder, 'nowhere', 'x.tar'));
  expect(failure.code).toBe(1);
  expect(failure.stderr).toMatch(/^portico: ENOENT: .*\n$/);
  expect(listFiles(join(archive, '..'))).toEqual(['monday.tar']);
  expect(listFiles(installation.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a restore is rejected while a service runs; with --force, it sets existing data aside', async () => {
  const service = await installation.start();
  await register(installation.api, 'before');
  expect((await installation.runTool('backup', archive)).code).toBe(0);
  await register(installation.api, 'after');
  for (const force of [[], ['--force']]) {
    const { code, stderr } = await installation.runTool('restore', archive, ...force);
    expect({ code, isExplained: /already exist|a process uses/.test(stderr) }).toEqual({ code: 1, isExplained: true });
  }
  await service.kill();
  const database = join(installation.folder, 'portico.sqlite');
  const rejection = await installation.runTool('restore', archive);
  expect(rejection.stderr).toContain(`these files already exist: ${database}`);
  const { code, stdout } = await installation.runTool('--json', 'restore', archive, '--force');
  expect(code).toBe(0);
  const { kept_aside: previousFiles } = JSON.parse(stdout) as Record<'kept_aside', string[]>;
  // The keys are the same as in the backup.
  expect(previousFiles).toEqual([expect.stringMatching(`^${database}\\.before-restore-`)]);
  expect(listFiles(installation.folder).filter((name) => /-(wal|shm)$|\.new$|^\./.test(name))).toEqual([]);
  await installation.compose();
  const listEmails = async ({ api, createAdminToken }: Installation) =>
    (await api.request<{ email: string }[]>(await createAdminToken(), 'GET', '/api/profiles/')).map(
      ({ email }) => email,
    );
  expect(await listEmails(installation)).toEqual(['admin@localhost', 'before@example.com']);
  const previousData = await openInstallation({
    DATA_DIR: installation.folder,
    DATABASE_URL: `sqlite:${previousFiles[0]}`,
  });
  await previousData.compose();
  expect(await listEmails(previousData)).toContain('after@example.com');
});

test('an archive that is not a complete backup is rejected, and nothing changes', async () => {
  await installation.runTool('people', 'list', '--admins');
  expect((await installation.runTool('backup', archive)).code).toBe(0);
  const folder = join(archive, '..');
  const makeFile = (name: string, write: (path: string) => void): string => {
    const path = join(folder, name);
    write(path);
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
  const before = listFiles(installation.folder).map((name) => [
    name,
    name === 'backups' || digestOf(join(installation.folder, name)),
  ]);
  for (const [path, reason] of invalidArchives) {
    const { code, stderr } = await installation.runTool('restore', path, '--force');
    expect({ path, code, isExplained: stderr.includes(reason) }, stderr).toEqual({ path, code: 1, isExplained: true });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  const after = listFiles(installation.folder).map((name) => [
    name,
    name === 'backups' || digestOf(join(installation.folder, name)),
  ]);
  expect(after).toEqual(before);
});

test('the backup omits a key from outside the data folder, and reports that', async () => {
  const installationWithKey = await openInstallation({
    SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
    DATA_DIR: installation.folder,
  });
  await installationWithKey.runTool('people', 'list', '--admins');
  rmSync(join(installation.folder, 'secrets.key'), { force: true });
  const { code, stdout } = await installationWithKey.runTool('backup', archive);
  expect(code).toBe(0);
  expect(stdout).toContain('It does not contain the secrets key, which comes from SECRETS_KEY.');
});

test('on PostgreSQL, both commands name the tools to use instead', async () => {
  const postgresqlInstallation = await openInstallation({
    DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico',
  });
  for (const [command, alternative] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { code, stderr } = await postgresqlInstallation.runTool(command, archive);
    expect(code).toBe(1);
    expect(stderr).toContain(alternative);
    expect(stderr).toContain('secrets.key');
    expect(stderr).not.toContain('hunter2');
  }
});
