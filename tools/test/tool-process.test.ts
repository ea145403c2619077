import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation, inherited, type Installation } from './installation.ts';

// Other tests run commands in their own process. Here is what a process adds.

let installation: Installation;
let variables: NodeJS.ProcessEnv;
beforeAll(async () => {
  installation = await createInstallation();
  // Makes the database.
  await installation.tool('admin', 'list');
  variables = { ...inherited, HOME: installation.folder, DATA_DIR: installation.folder, NODE_ENV: 'development' };
});
afterAll(() => installation.remove());

const command = ['-C', '@portico/source', join(root, 'apps/cli/src/main.ts')];

/** Starts the tool, to be written to and read from; `ended` resolves to its exit code. */
const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const child = spawn(process.execPath, [...command, ...args], { cwd: root, env: { ...variables, ...env } });
  return { child, ended: once(child, 'close').then(([code]) => code as number | null) };
};

test('a token is all that is on standard output', async () => {
  const { code, stdout, stderr } = await installation.toolProcess('token', '--admin');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('what fails, and what is used wrongly, exits with a code of its own and says so on standard error', async () => {
  expect(await installation.toolProcess('admin', 'promote', 'nobody@example.com')).toEqual({
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

test('a secret is read from standard input', async () => {
  const { child, ended } = start(['key', 'check']);
  child.stdin.end('portico_sk_mistyped\n');
  expect(await text(child.stdout)).toMatch(/^not well formed/);
  expect(await ended).toBe(1);
});

test('the address of a new database is read from standard input', async () => {
  const to = join(installation.folder, 'moved.sqlite');
  const { child, ended } = start(['migrate', '--to-file', '-', '--json']);
  child.stdin.end(`sqlite:${to}\n`);
  expect(JSON.parse(await text(child.stdout))).toMatchObject({ to: `sqlite:${to}` });
  expect(await ended).toBe(0);
  expect(existsSync(to)).toBe(true);
});

test('a backup to standard output is the archive and nothing else', async () => {
  const { child, ended } = start(['backup', '-']);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const said = text(child.stderr);
  expect(await ended).toBe(0);
  expect(await said).toContain('Written: portico.sqlite, secrets.key');
  const archive = join(installation.folder, 'output.tar');
  writeFileSync(archive, Buffer.concat(chunks), { mode: 0o600 });
  const other = await createInstallation();
  try {
    expect(await other.tool('restore', archive)).toMatchObject({ code: 0 });
    const key = (folder: string) => readFileSync(join(folder, 'secrets.key'), 'utf8');
    expect(key(other.folder)).toBe(key(installation.folder));
  } finally {
    await other.remove();
  }
});

test('a reader that closes the pipe early has read what it wanted', async () => {
  const { child, ended } = start(['--help']);
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe('');
  expect(await ended).toBe(0);
});

test('a server that is away is told in sentences while it is waited for, and a signal ends the wait', async () => {
  const { child, ended } = start(['admin', 'list'], {
    DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico',
  });
  const [said] = (await once(child.stderr, 'data')) as [Buffer];
  expect(said.toString()).toMatch(
    /^portico: warning: The database at 127\.0\.0\.1:9\/portico cannot be reached; retrying for up to .*\n/,
  );
  expect(said.toString()).not.toMatch(/hunter2|"level"|\n +at /);
  child.kill('SIGTERM');
  expect(await ended).not.toBe(0);
});

test('the doctor finds nothing wrong with this installation', async () => {
  const { code, stdout, stderr } = await installation.toolProcess('doctor');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n').at(-1)).toBe('Nothing is wrong.');
});
