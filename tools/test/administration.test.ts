import { join } from 'node:path';
import { approvalsMax } from '@portico/domain';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { register } from './clients.ts';
import { openInstallation, provideInstallation } from './provide-installation.ts';
import type { ToolRun } from './run-tool.ts';

const installation = provideInstallation(beforeAll, { RATE_LIMIT_FAILED_KEYS: 'off' });
let remoteVariables: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { address } = await installation.compose();
  const token = (await installation.runTool('token', '--admin')).stdout.trim();
  remoteVariables = { PORTICO_SERVER: address, PORTICO_TOKEN: token };
  await installation.runTool('import', `${root}/samples`);
});

const runLocally = (...args: readonly string[]): Promise<ToolRun> => installation.runTool(...args);
const runRemotely = (...args: readonly string[]): Promise<ToolRun> =>
  installation.runToolWith(remoteVariables, ...args);

const [ann, bob, team] = ['ann@example.com', 'bob@example.com', 'Team'];

/** An administrator's commands, each with the expected exit code. */
const adminCommands: readonly (readonly [code: number, ...args: string[]])[] = [
  [0, 'people', 'list', '--admins'],
  [0, 'people', 'list', '--pending'],
  [2, 'people', 'list', '--pending', '--admins'],
  [1, 'people', 'approve', ann, bob, 'nobody@example.com'],
  [2, 'people', 'approve'],
  [2, 'people', 'approve', ann, '--all-pending'],
  [0, 'limits', 'set-tier', 'gold', '--limit', '600/60', '--description', 'For partners'],
  [0, 'limits', 'set-tier', 'gold', '--limit', '700/60'],
  [2, 'limits', 'set-tier', 'gold', '--limit', '600'],
  [1, 'limits', 'assign', 'gold', ann, 'nobody@example.com'],
  [1, 'limits', 'assign', 'missing', ann],
  [0, 'limits', 'assign', 'none', ann],
  [0, 'limits', 'override', ann, '1000/60'],
  [1, 'limits', 'override', 'nobody@example.com', '1000/60'],
  [0, 'groups', 'add', team, '--description', 'A team', '--tier', 'gold'],
  [1, 'groups', 'add', team],
  [1, 'groups', 'add-member', team, ann, 'nobody@example.com'],
  [2, 'groups', 'add', team, ann],
  [0, 'access', 'grant', '--to', bob, '--group', team, '--collections', 'Nimbara Weather', '--until', '2099-12-31'],
  [1, 'access', 'grant', '--to', bob, '--collections', 'Nimbara Weather', 'No such API'],
  [2, 'access', 'grant', '--collections', 'Nimbara Weather'],
  [0, 'access', 'rule', bob, 'Nimbara Weather', '--operations', 'read-only', '--ask', 'get /conditions'],
  [0, 'access', 'rule', '--group', team, 'Nimbara Weather', '--operations', 'all', '--except', ''],
  [2, 'access', 'rule', bob, 'Nimbara Weather'],
  [1, 'access', 'rule', bob, 'Nimbara Weather', '--except', 'GET /nowhere'],
  [1, 'access', 'rule', ann, 'Nimbara Weather', '--operations', 'all'],
  [1, 'access', 'rule', bob, 'No such API', '--operations', 'all'],
  [0, 'collections', 'set', 'Nimbara Weather', '--base-url', 'https://weather.example.com', '--variables', 'a=1', 'b='],
  [1, 'collections', 'set', 'Nimbara Weather', '--base-url', 'ftp://weather.example.com'],
  [1, 'collections', 'set', 'No such API', '--no-base-url'],
  [2, 'collections', 'set', 'Nimbara Weather', '--variables', 'a'],
  [2, 'collections', 'set', 'Nimbara Weather'],
  [0, 'collections', 'set', 'Nimbara Weather', '--no-base-url', '--no-variables'],
  [0, 'collections', 'list-credentials', 'Nimbara Weather'],
  [1, 'collections', 'delete-credential', 'Nimbara Weather', 'noSuchScheme'],
  [2, 'collections', 'set-credential', 'Nimbara Weather', 'apiKey', '--file', 'no-such-file'],
  [0, 'groups', 'list'],
  [0, 'groups', 'show', team],
  [0, 'access', 'list'],
  [0, 'access', 'list', '--profile', ann, '--group', team],
  [0, 'access', 'list', '--collection', 'Nimbara Weather', '--expiring-before', '2100-01-02', '--csv'],
  [0, 'access', 'list', '--expiring-before', '2099-12-31'],
  [0, 'access', 'revoke', '--from', bob, '--collections', 'Nimbara Weather'],
  [0, 'access', 'revoke', '--to', bob, '--collections', 'Nimbara Weather'],
  [0, 'people', 'suspend', bob, '--reason', 'Left'],
  [1, 'people', 'suspend', bob, ann],
  [0, 'people', 'list', '--suspended'],
  [0, 'people', 'resume', bob, ann],
  [1, 'people', 'resume', bob],
  [0, 'keys', 'rotate', ann, '--grace', '60'],
  [1, 'keys', 'rotate', 'nobody@example.com'],
  [0, 'keys', 'expire', ann, '2099-01-31'],
  [0, 'keys', 'expire', ann, 'never'],
  [2, 'keys', 'expire', ann, 'tomorrow'],
  [1, 'keys', 'expire', ann, '2001-01-31'],
  [0, 'requests', 'list'],
  [0, 'calls', 'list'],
  [0, 'calls', 'list', '--all'],
  [1, 'calls', 'show', 'nobody@example.com'],
  [1, 'calls', 'approve', ann],
  [1, 'calls', 'deny', ann, '--reason', 'Not now'],
  [0, 'usage', 'list', '--by', 'day', '--from', '2020-01-01', '--to', '2020-02-01', '--csv'],
  [0, 'usage', 'list', '--by', 'operation', '--to', '2020-02-01', '--csv'],
  [1, 'usage', 'list', '--collection', 'No such API'],
  [1, 'usage', 'list', '--profile', 'nobody@example.com'],
  [1, 'audit', 'list', '--actor', 'nobody@example.com'],
  [2, 'audit', 'list', '--action', 'access.grnt'],
  [0, 'audit', 'list', '--action', 'search.reindex'],
  [0, 'audit', 'list', '--action', 'access.grnt', '--source', 'client'],
  [1, 'access', 'list', '--profile', 'nobody@example.com'],
  [1, 'access', 'list', '--group', 'Nope'],
  [1, 'access', 'list', '--collection', 'No such API'],
  [0, 'accounts', 'list'],
  [0, 'groups', 'remove-member', team, ann],
  [1, 'groups', 'remove-member', team, ann],
  [0, 'groups', 'delete', team],
  [1, 'groups', 'delete', team],
];

/** The output of some of the commands, with runs of spaces collapsed. */
const expectedOutput: Readonly<Record<string, string>> = {
  [`groups add-member ${team} ${ann} nobody@example.com`]: `added ${ann}\nnot_found nobody@example.com\n`,
  [`access list --profile ${ann} --group ${team}`]: `${ann} Nimbara Weather group ${team} until 2099-12-31\n`,
  'limits set-tier gold --limit 700/60': 'changed gold 700 requests in 60 s\n',
  [`limits assign gold ${ann} nobody@example.com`]: `gold ${ann}\nrefused nobody@example.com: User not found\n`,
  [`people suspend ${bob} ${ann}`]: `refused ${bob}: User already suspended\nsuspended ${ann}\n`,
  'usage list --by day --from 2020-01-01 --to 2020-02-01 --csv':
    'day,reads,searches,slices,calls,credential_reads,refused\n',
  'usage list --by operation --to 2020-02-01 --csv': 'collection_name,method,path,operation_key,slices,calls\n',
};

test('an administrator manages a server with email addresses and names instead of ids', async () => {
  for (const name of ['ann', 'bob']) await register(installation.api, name);
  for (const [code, ...args] of adminCommands) {
    const result = await runRemotely(...args);
    expect([args, result.code, result.code === 2 ? '' : result.stderr]).toEqual([
      args,
      code,
      code === 1 ? expect.any(String) : code === 2 ? '' : expect.not.stringContaining('portico:'),
    ]);
    const expected = expectedOutput[args.join(' ')];
    if (expected !== undefined) expect([args, result.stdout.replaceAll(/ {2,}/g, ' ')]).toEqual([args, expected]);
  }
  for (const email of [ann, bob]) await removeProfile(email);
});

test('commands on the stores work without a service or an actor, even if the local issuer is off', async () => {
  const storeInstallation = await openInstallation({
    IDENTITY_LOCAL: 'false',
    IDENTITY_ISSUER: 'https://issuer.invalid',
    IDENTITY_AUDIENCE: 'portico',
    IDENTITY_JWKS_URL: 'https://issuer.invalid/keys',
    RATE_LIMIT_DEFAULT: '1/60',
  });
  for (const group of ['Crew', 'Staff', 'Guests']) {
    const { code, stderr } = await storeInstallation.runTool('groups', 'add', group);
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/error|refused/)]);
  }
  const log = await storeInstallation.runTool('audit', 'list', '--json', '--action', 'group.create');
  const entries = JSON.parse(log.stdout) as { actor: string | null }[];
  expect(entries.map(({ actor }) => actor)).toEqual([null, null, null]);
  expect((await storeInstallation.runTool('groups', 'add', 'Crew')).stderr).toMatch(
    /^portico: [^"]*already exists[^"]*\n$/m,
  );
  expect((await storeInstallation.runTool('usage', 'list')).stdout).toBe('No usage found.\n');
});

test('if approving people fails halfway, the tool prints the keys that it created and the reason', async () => {
  const names = [...Array.from({ length: approvalsMax }, (_, index) => `many-${index}`), 'last'];
  for (const name of names) await register(installation.api, name);
  const emails = names.map((name) => `${name}@example.com`);
  const database = new Database(join(installation.folder, 'portico.sqlite'));
  database.exec(
    "create trigger failing before update on profiles when new.email = 'last@example.com' begin select raise(fail, 'it is full'); end",
  );
  try {
    const { code, stdout, stderr } = await runLocally('--json', 'people', 'approve', ...emails);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/it is full/)]);
    const credentials = JSON.parse(stdout) as { client_secret: string }[];
    expect(credentials.map(({ client_secret }) => typeof client_secret)).toEqual(Array(approvalsMax).fill('string'));
  } finally {
    database.exec('drop trigger failing');
    database.close();
  }
  for (const email of emails) await removeProfile(email);
});

const removeProfile = async (email: string): Promise<unknown> =>
  installation.api.request(await installation.createAdminToken(), 'DELETE', `/api/profiles/${email}`);

test('a request is approved by email and collection, and the audit log names the approver', async () => {
  await register(installation.api, 'cara');
  const [{ client_id, client_secret }] = JSON.parse(
    (await runRemotely('--json', 'people', 'approve', 'cara@example.com')).stdout,
  ) as [{ client_id: string; client_secret: string }];
  const [admin, cara] = [await installation.createAdminToken(), { clientId: client_id, secret: client_secret }];
  const collections = await installation.api.request<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/');
  for (const { id } of collections.slice(0, 2)) {
    await installation.api.request(admin, 'PUT', `/api/collections/${id}`, { discoverable: true });
    await installation.api.request(cara, 'POST', '/api/access/requests', { collection_id: id, reason: 'To try it' });
  }
  const [firstCollection = '', secondCollection = ''] = collections.map(({ name }) => name);
  expect((await runRemotely('requests', 'approve', 'cara@example.com')).stderr).toContain('also pass the collection');
  const approval = await runRemotely(
    'requests',
    'approve',
    'cara@example.com',
    firstCollection,
    '--until',
    '2099-12-31',
  );
  expect(approval).toMatchObject({ code: 0, stdout: `approved  cara@example.com  ${firstCollection}\n` });
  expect(await runLocally('requests', 'deny', 'cara@example.com', '--reason', 'Not now')).toMatchObject({
    code: 0,
    stdout: `denied  cara@example.com  ${secondCollection}\n`,
  });
  expect((await runLocally('requests', 'deny', 'cara@example.com')).code).toBe(1);
  expect((await runLocally('requests', 'list', '--all')).stdout).toMatch(/denied.*cara@example\.com/);
  const log = await runRemotely('audit', 'list', '--limit', '2');
  expect(log.stdout).toMatch(/ - +access\.request\.deny .*profile=cara@example\.com collection=/);
  expect(log.stdout).toMatch(/admin@\S+ +access\.request\.approve .*expires_at=2100-01-01T00:00:00\.000Z\n$/);
});
