import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { openInstallation, provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll);

test.each([
  [['token'], 2, 'pass --uid'],
  [['token', '--email', 'x@example.com'], 2, 'pass --uid'],
  [['token', '--admin', '--uid', 'x'], 2, 'cannot be used with option'],
  [['token', '--admin', '--email', 'x@example.com'], 2, 'cannot be used with option'],
  [['token', '--uid', 'x', '--groups', 'a,b'], 2, 'set IDENTITY_GROUPS_CLAIM'],
  [['token', '--uid', 'x', '--ttl', '0'], 2, 'from 1 to 86400'],
  [['token', '--uid', 'x', '--ttl', '86401'], 2, 'from 1 to 86400'],
  [['token', '--uid', 'x', '--ttl', 'abc'], 2, 'from 1 to 86400'],
  [['token', '--nonsense'], 2, 'unknown option'],
  [['console', '--email', 'x@example.com'], 2, 'pass --uid'],
  [['console', '--uid', 'x'.repeat(129)], 2, 'uid must have 1 to 128 characters'],
  [['console', '--minutes', '0'], 2, 'from 1 to 1440'],
  [['console', '--minutes', '1441'], 2, 'from 1 to 1440'],
  [['people', 'promote', 'nobody@example.com'], 1, 'no profile is registered'],
  [['import', 'nowhere.json'], 1, 'no such file'],
  [['import'], 2, 'missing required argument'],
  [['index', 'rebuild'], 1, 'QDRANT_URL is not set'],
  [['jobs', 'list', '--limit', '0'], 2, 'from 1 to 10000'],
  [['jobs', 'list', '--limit', 'abc'], 2, 'from 1 to 10000'],
  [['jobs', 'list', '--limit', '1e3'], 2, 'from 1 to 10000'],
  [['jobs', 'retry'], 2, 'pass the ids'],
  [['jobs', 'retry', '--all', 'x'], 2, 'pass the ids'],
  [['jobs', 'discard'], 2, 'missing required argument'],
  [['migrate'], 2, 'pass --to URL, or --to-file FILE'],
  [['accounts', 'add', 'robot'], 2, "required option '--scope <scope...>' not specified"],
  [['accounts', 'add', 'robot', '--scope', 'catalog:delete'], 2, 'Allowed choices are catalog:read, catalog:write'],
  [
    ['accounts', 'add', 'robot', '--scope', 'audit:read', '--expires', 'soon'],
    2,
    'It must be a date such as 2027-01-31',
  ],
  [
    ['accounts', 'add', 'robot', '--scope', 'audit:read', '--expires', '2020-01-31'],
    1,
    'expires_at must be in the future',
  ],
  [['accounts', 'add', 'two\nlines', '--scope', 'audit:read'], 2, 'one line of 1 to 200 characters'],
  [['accounts', 'add', 'x'.repeat(201), '--scope', 'audit:read'], 2, 'one line of 1 to 200 characters'],
  [['accounts', 'add', ' ', '--scope', 'audit:read'], 2, 'one line of 1 to 200 characters'],
  [['accounts', 'rotate', 'nobody'], 1, 'there is no service account nobody'],
  [['accounts', 'rotate', 'nobody', '--grace', '604801'], 2, 'from 0 to 604800'],
  [['accounts', 'delete', 'nobody'], 1, 'see "portico accounts list"'],
  [['whoami'], 2, 'needs a server: pass --server URL, or set PORTICO_SERVER'],
  [['nonsense'], 2, 'unknown command'],
])('%j exits with %i and explains the error on one line', async (args, code, message) => {
  const result = await installation.runTool(...args);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toContain(message);
  // Commander appends a hint about --help.
  expect(result.stderr.replace('(see portico --help)\n', '').trim().split('\n')).toHaveLength(1);
});

test.each([
  ['console'],
  ['people promote x@example.com', 'people promote'],
  ['jobs list'],
  ['jobs retry x', 'jobs retry'],
  ['jobs discard x', 'jobs discard'],
  ['reindex'],
  ['index rebuild'],
  ['backup /nowhere/file', 'backup'],
  ['restore /nowhere/file', 'restore'],
  ['migrate --to sqlite:/nowhere/file', 'migrate'],
  ['keys reseal'],
  ['keys reset'],
  ['token --admin', 'token'],
  ['doctor'],
])('%s rejects a server', async (line, command = line) => {
  const result = await installation.runTool(...line.split(' '), '--server', 'https://portico.example.com');
  expect(result).toEqual({
    code: 2,
    stdout: '',
    stderr: `portico: "portico ${command}" works only on the stores: run it where their variables are set, without --server\n`,
  });
});

test('help is the default, lists every command and exits with 0; a noun alone prints its help', async () => {
  const { code, stdout, stderr } = await installation.runTool('--help');
  expect([code, stderr]).toEqual([0, '']);
  for (const command of ['token', 'people', 'access', 'import', 'reindex', 'jobs', 'keys', 'accounts', 'doctor'])
    expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
  expect(await installation.runTool()).toEqual({ code, stdout, stderr });
  const nounRun = await installation.runTool('people');
  expect(nounRun).toEqual(await installation.runTool('people', '--help'));
  expect(nounRun).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: portico people /) as string });
});

test('--version prints the version of the project', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(await installation.runTool('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('an invalid configuration is reported, and the command does nothing', async () => {
  const invalidInstallation = await openInstallation({ JOBS: 'sometimes' });
  const { code, stderr } = await invalidInstallation.runTool('people', 'list', '--admins');
  expect(code).toBe(1);
  expect(stderr).toContain('JOBS: read "sometimes"');
});
