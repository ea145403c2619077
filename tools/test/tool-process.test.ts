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
import { inheritedVariables, startToolProcess, toolArguments } from './run-tool.ts';

// Other tests run commands in their own process. These cover the separate process.

const installation = provideInstallation(beforeAll);
let variables: Environment;
beforeAll(async () => {
  // Creates the database.
  await installation.runTool('people', 'list', '--admins');
  variables = { DATA_DIR: installation.folder, NODE_ENV: 'development' };
});

const start = (...args: readonly string[]) => startToolProcess(variables, args);

test('standard output contains only the token', async () => {
  const { code, stdout, stderr } = await installation.runToolProcess('token', '--admin');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
});

test('failures and usage errors have different exit codes, and are reported on standard error', async () => {
  expect(await installation.runToolProcess('people', 'promote', 'nobody@example.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no profile is registered') as string,
  });
  expect(await installation.runToolProcess('token', '--ttl', '0')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('from 1 to 86400') as string,
  });
});

test("npm run resolves relative paths against the operator's folder, and returns the exit code", async () => {
  const folder = join(installation.folder, 'documents');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'a.json'),
    '{"openapi":"3.0.3","info":{"title":"A","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{}}',
  );
  const npmArguments = ['run', '-s', '--prefix', root, 'portico', '--', 'import', 'a.json', 'missing.json'];
  const env = { ...process.env, ...variables, INIT_CWD: '' };
  const execution = promisify(execFile)('npm', npmArguments, { cwd: folder, env });
  await expect(execution).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('missing.json') as string });
  const { stdout } = await promisify(execFile)('npm', npmArguments.slice(0, -1), { cwd: folder, env });
  expect(stdout).toMatch(new RegExp(`^created {4}[0-9a-f-]{36} {2}A {2}\\(a\\.json\\)\n1 created, 0 updated`));
});

test('an import that is interrupted by a signal reports the files that it has imported', async () => {
  const [wholeFile, hangingFile] = [join(installation.folder, 'whole.json'), join(installation.folder, 'hanging.json')];
  writeFileSync(
    wholeFile,
    '{"openapi":"3.0.3","info":{"title":"Whole","version":"1"},"servers":[{"url":"https://a.example"}],"paths":{}}',
  );
  // No process writes to this pipe, so reading it never ends.
  await promisify(execFile)('mkfifo', [hangingFile]);
  const { child, result } = start('import', wholeFile, hangingFile);
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  await expect.poll(() => output).toContain('Whole');
  child.kill('SIGINT');
  await expect(result).rejects.toThrow('terminated by SIGINT');
  expect(output.split('\n').slice(1)).toEqual([
    'Interrupted, 1 of 2 files left. So far:',
    '1 created, 0 updated, 0 unchanged, 0 skipped, 0 refused.',
    '',
  ]);
});

test('a secret is read from standard input', async () => {
  const { child, result } = start('keys', 'check');
  child.stdin.end(`${makeSecret(new Uint8Array(32).fill(3))}\n`);
  expect(await result).toEqual({ code: 0, stdout: expect.stringMatching(/^well formed/) as string, stderr: '' });
});

test('the URL of a new database is read from standard input', async () => {
  const to = `sqlite:${join(installation.folder, 'moved.sqlite')}`;
  const { child, result } = start('migrate', '--to-file', '-', '--json');
  child.stdin.end(`${to}\n`);
  const { code, stdout } = await result;
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ to })]);
});

test('a backup to standard output is the archive and nothing else', async () => {
  const archive = join(installation.folder, 'output.tar');
  const { child, result } = start('backup', '-');
  const writing = pipeline(child.stdout, createWriteStream(archive, { mode: 0o600 }));
  expect(await result).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Written: portico.sqlite, secrets.key') as string,
  });
  await writing;
  const restoredInstallation = await openInstallation();
  expect(await restoredInstallation.runTool('restore', archive)).toMatchObject({ code: 0, stderr: '' });
  const keyOf = ({ folder }: Installation) => readFileSync(join(folder, 'secrets.key'), 'utf8');
  expect(keyOf(restoredInstallation)).toBe(keyOf(installation));
});

/** Returns the staging folders of backups that are in progress. */
const listStagingFolders = () => readdirSync(installation.folder).filter((name) => name.startsWith('.portico-backup-'));

test('a backup succeeds even if its reader closes the pipe early', async () => {
  // `true` reads nothing from the archive, which is written in many chunks.
  const script = '{ "$@"; echo "exit code $?" >&2; } | true';
  const command = ['-c', script, 'sh', process.execPath, ...toolArguments, 'backup', '-'];
  const { stderr } = await promisify(execFile)('sh', command, {
    cwd: root,
    env: { ...inheritedVariables, ...variables },
  });
  expect(stderr).toBe('exit code 0\n');
  expect(listStagingFolders()).toEqual([]);
});

test('a signal stops a backup, which leaves no copy of the keys behind', async () => {
  // No process reads the archive, which is larger than the pipe.
  const { child, result } = start('backup', '-');
  child.stdout.unpipe();
  await expect.poll(listStagingFolders, { interval: 5 }).not.toEqual([]);
  child.kill('SIGTERM');
  child.stdout.resume();
  await expect(result).rejects.toThrow('terminated by SIGTERM');
  expect(listStagingFolders()).toEqual([]);
});

test('the tool reports that it waits for an unavailable database, and a signal interrupts the wait', async () => {
  const unavailableVariables = { ...variables, DATABASE_URL: 'postgresql://portico:hunter2@127.0.0.1:9/portico' };
  const { child, readErrorOutput, result } = startToolProcess(unavailableVariables, ['people', 'list', '--admins']);
  await expect.poll(readErrorOutput).toContain('\n');
  expect(readErrorOutput()).toMatch(
    /^portico: warning: The database at 127\.0\.0\.1:9\/portico cannot be reached; retrying for up to .*\n/,
  );
  expect(readErrorOutput()).not.toMatch(/hunter2|"level"|\n +at /);
  child.kill('SIGTERM');
  await expect(result).rejects.toThrow('terminated by SIGTERM');
});

test('the doctor finds nothing wrong with this installation', async () => {
  const { code, stdout, stderr } = await installation.runToolProcess('doctor');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n').at(-1)).toBe('Nothing is wrong.');
});
