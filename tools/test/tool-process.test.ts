import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { Environment } from '@portico/composition';
import { makeSecret } from '@portico/domain';
import { root } from '../src/service-process.ts';
import type { Installation } from './installation.ts';
import { openInstallation, provideInstallation } from './provide-installation.ts';
import { inherited, startToolProcess, toolArguments } from './run-tool.ts';

// Other tests run commands in their own process. Here is what a process adds.

const installation = provideInstallation(beforeAll);
let variables: Environment;
beforeAll(async () => {
  // Makes the database.
  await installation.tool('people', 'list', '--admins');
  variables = { DATA_DIR: installation.folder, NODE_ENV: 'development' };
});

const start = (...args: readonly string[]) => startToolProcess(variables, args);

test('a token is all that is on standard output', async () => {
  const { code, stdout, stderr } = await installation.toolProcess('token', '--admin');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('what fails, and what is used wrongly, exits with a code of its own and says so on standard error', async () => {
  expect(await installation.toolProcess('people', 'promote', 'nobody@example.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no profile is registered') as string,
  });
  expect(await installation.toolProcess('token', '--ttl', '0')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('from 1 to 86400') as string,
  });
});

test('run by npm, it finds relative paths where the operator is, and keeps the exit code', async () => {
  const folder = join(installation.folder, 'documents');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.json'), '{"openapi":"3.0.3","info":{"title":"A","version":"1"},"paths":{}}');
  const npm = ['run', '-s', '--prefix', root, 'portico', '--', 'import', 'a.json', 'missing.json'];
  const env = { ...process.env, ...variables, INIT_CWD: '' };
  const ran = promisify(execFile)('npm', npm, { cwd: folder, env });
  await expect(ran).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('missing.json') as string });
  const { stdout } = await promisify(execFile)('npm', npm.slice(0, -1), { cwd: folder, env });
  expect(stdout).toMatch(new RegExp(`^created {4}[0-9a-f-]{36} {2}A {2}\\(a\\.json\\)\n1 created, 0 updated`));
});

test('an import that a signal ends has told what it had done', async () => {
  const [whole, hanging] = [join(installation.folder, 'whole.json'), join(installation.folder, 'hanging.json')];
  writeFileSync(whole, '{"openapi":"3.0.3","info":{"title":"Whole","version":"1"},"paths":{}}');
  // Nobody writes to this pipe, so that reading it never ends.
  await promisify(execFile)('mkfifo', [hanging]);
  const { child, ended } = start('import', whole, hanging);
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  await expect.poll(() => said).toContain('Whole');
  child.kill('SIGINT');
  await expect(ended).rejects.toThrow('ended by SIGINT');
  expect(said.split('\n').slice(1)).toEqual([
    'Interrupted, 1 of 2 files left. Until then:',
    '1 created, 0 updated, 0 unchanged, 0 skipped, 0 refused.',
    '',
  ]);
});

test('a secret is read from standard input', async () => {
  const { child, ended } = start('keys', 'check');
  child.stdin.end(`${makeSecret(new Uint8Array(32).fill(3))}\n`);
  expect(await ended).toEqual({ code: 0, stdout: expect.stringMatching(/^well formed/) as string, stderr: '' });
});

test('the address of a new database is read from standard input', async () => {
  const to = `sqlite:${join(installation.folder, 'moved.sqlite')}`;
  const { child, ended } = start('migrate', '--to-file', '-', '--json');
  child.stdin.end(`${to}\n`);
  const { code, stdout } = await ended;
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ to })]);
});

test('a backup to standard output is the archive and nothing else', async () => {
  const archive = join(installation.folder, 'output.tar');
  const { child, ended } = start('backup', '-');
  const written = pipeline(child.stdout, createWriteStream(archive, { mode: 0o600 }));
  expect(await ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Written: portico.sqlite, secrets.key') as string,
  });
  await written;
  const other = await openInstallation();
  expect(await other.tool('restore', archive)).toMatchObject({ code: 0, stderr: '' });
  const keyOf = ({ folder }: Installation) => readFileSync(join(folder, 'secrets.key'), 'utf8');
  expect(keyOf(other)).toBe(keyOf(installation));
});

/** What backups have under way in the data folder. */
const staged = () => readdirSync(installation.folder).filter((name) => name.startsWith('.portico-backup-'));

test('a reader that closes the pipe early has read what it wanted', async () => {
  // `true` reads nothing of the archive, which is written in many pieces.
  const piped = '{ "$@"; echo "exit code $?" >&2; } | true';
  const command = ['-c', piped, 'sh', process.execPath, ...toolArguments, 'backup', '-'];
  const { stderr } = await promisify(execFile)('sh', command, { cwd: root, env: { ...inherited, ...variables } });
  expect(stderr).toBe('exit code 0\n');
  expect(staged()).toEqual([]);
});

test('a signal ends a backup, and leaves no copy of the keys', async () => {
  // Nobody reads the archive, which is larger than the pipe.
  const { child, ended } = start('backup', '-');
  child.stdout.unpipe();
  await expect.poll(staged, { interval: 5 }).not.toEqual([]);
  child.kill('SIGTERM');
  child.stdout.resume();
  await expect(ended).rejects.toThrow('ended by SIGTERM');
  expect(staged()).toEqual([]);
});

test('a server that is away is told in sentences while it is waited for, and a signal ends the wait', async () => {
  const away = { ...variables, DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico' };
  const { child, said, ended } = startToolProcess(away, ['people', 'list', '--admins']);
  await expect.poll(said).toContain('\n');
  expect(said()).toMatch(
    /^portico: warning: The database at 127\.0\.0\.1:9\/portico cannot be reached; retrying for up to .*\n/,
  );
  expect(said()).not.toMatch(/hunter2|"level"|\n +at /);
  child.kill('SIGTERM');
  await expect(ended).rejects.toThrow('ended by SIGTERM');
});

test('the doctor finds nothing wrong with this installation', async () => {
  const { code, stdout, stderr } = await installation.toolProcess('doctor');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n').at(-1)).toBe('Nothing is wrong.');
});
