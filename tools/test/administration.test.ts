import { join } from 'node:path';
import { approvalsMax } from '@portico/domain';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation, type Installation } from './installation.ts';
import type { ToolRun } from './run-tool.ts';

let installation: Installation;
let remote: Readonly<Record<string, string>>;
beforeAll(async () => {
  installation = await createInstallation({ RATE_LIMIT_FAILED_KEYS: 'off' });
  const { address } = await installation.compose();
  const token = (await installation.tool('token', '--admin')).stdout.trim();
  remote = { PORTICO_SERVER: address, PORTICO_TOKEN: token };
  await installation.tool('import', `${root}/samples`);
});
afterAll(() => installation.remove());

const here = (...args: readonly string[]): Promise<ToolRun> => installation.tool(...args);
const remotely = (...args: readonly string[]): Promise<ToolRun> => installation.toolElsewhere(remote, ...args);

const register = (name: string): Promise<unknown> =>
  installation.api.ask(null, 'POST', '/api/profiles/register', {
    firebase_uid: name,
    email: `${name}@example.com`,
    full_name: name,
  });

/** What differs between two runs of the same commands: ids, secrets and times. */
const plain = ({ code, stdout }: ToolRun) => ({
  code,
  stdout: stdout
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/portico_sk_[0-9A-Za-z]+/g, 'SECRET')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/ {2,}/g, '  '),
});

/** An administrator's commands about these two people and this group. */
const dayOf = (ann: string, bob: string, group: string): readonly (readonly [code: number, ...args: string[]])[] => [
  [0, 'admin', 'list'],
  [0, 'profiles', 'list', '--pending'],
  [1, 'approve', ann, bob, 'nobody@example.com'],
  [2, 'approve'],
  [2, 'approve', ann, '--all-pending'],
  [0, 'tier', 'set', 'gold', '--limit', '600/60', '--description', 'For partners'],
  [2, 'tier', 'set', 'gold', '--limit', '600'],
  [1, 'tier', 'assign', 'gold', ann, 'nobody@example.com'],
  [1, 'tier', 'assign', 'missing', ann],
  [0, 'tier', 'assign', 'none', ann],
  [0, 'limit', 'override', ann, '1000/60'],
  [1, 'limit', 'override', 'nobody@example.com', '1000/60'],
  [0, 'group', 'create', group, '--description', 'A team', '--tier', 'gold'],
  [1, 'group', 'create', group],
  [1, 'group', 'add', group, ann, 'nobody@example.com'],
  [0, 'grant', '--to', bob, '--group', group, '--collections', 'Nimbara Weather', '--until', '2099-12-31'],
  [1, 'grant', '--to', bob, '--collections', 'Nimbara Weather', 'No such API'],
  [2, 'grant', '--collections', 'Nimbara Weather'],
  [0, 'group', 'list'],
  [0, 'group', 'show', group],
  [0, 'who'],
  [0, 'who', '--profile', ann, '--group', group],
  [0, 'who', '--collection', 'Nimbara Weather', '--expiring-before', '2100-01-02', '--csv'],
  [0, 'who', '--expiring-before', '2099-12-31'],
  [0, 'revoke', '--from', bob, '--collections', 'Nimbara Weather'],
  [0, 'revoke', '--to', bob, '--collections', 'Nimbara Weather'],
  [0, 'suspend', bob, '--reason', 'Left'],
  [1, 'suspend', bob, ann],
  [0, 'profiles', 'list', '--suspended'],
  [0, 'resume', bob, ann],
  [1, 'resume', bob],
  [0, 'key', 'rotate', ann, '--grace', '60'],
  [1, 'key', 'rotate', 'nobody@example.com'],
  [0, 'key', 'expire', ann, '2099-01-31'],
  [0, 'key', 'expire', ann, 'never'],
  [2, 'key', 'expire', ann, 'tomorrow'],
  [1, 'key', 'expire', ann, '2001-01-31'],
  [0, 'requests'],
  [0, 'usage', '--by', 'day', '--from', '2020-01-01', '--to', '2020-02-01', '--csv'],
  [1, 'usage', '--collection', 'No such API'],
  [1, 'usage', '--profile', 'nobody@example.com'],
  [1, 'audit', '--actor', 'nobody@example.com'],
  [2, 'audit', '--action', 'access.grnt'],
  [0, 'audit', '--action', 'search.reindex'],
  [0, 'audit', '--action', 'access.grnt', '--source', 'client'],
  [1, 'who', '--profile', 'nobody@example.com'],
  [1, 'who', '--group', 'Nope'],
  [1, 'who', '--collection', 'No such API'],
  [0, 'group', 'remove', group, ann],
  [1, 'group', 'remove', group, ann],
  [0, 'group', 'delete', group],
  [1, 'group', 'delete', group],
];

test('the same commands say the same on the stores and over HTTP', async () => {
  const both: string[][][] = [];
  for (const [run, uid] of [
    [here, 'east'],
    [remotely, 'west'],
  ] as const) {
    for (const name of ['ann', 'bob']) await register(`${name}-${uid}`);
    const said: string[][] = [];
    for (const [code, ...args] of dayOf(`ann-${uid}@example.com`, `bob-${uid}@example.com`, `Team-${uid}`)) {
      const done = plain(await run(...args));
      expect([args, done.code]).toEqual([args, code]);
      said.push([args.join(' ').replaceAll(uid, 'X'), done.stdout.replaceAll(uid, 'X')]);
    }
    both.push(said);
    await here('tier', 'assign', 'none', `ann-${uid}@example.com`);
    for (const name of ['ann', 'bob']) await removed(`${name}-${uid}@example.com`);
    await installation.api.ask(await installation.admin(), 'DELETE', '/api/rate-limits/tiers/gold');
  }
  expect(both[1]).toEqual(both[0]);
  const saidTo = (command: string) => both[0]?.find(([typed]) => typed === command)?.[1];
  expect(saidTo('group add Team-X ann-X@example.com nobody@example.com')).toBe(
    'added  ann-X@example.com\nnot_found  nobody@example.com\n',
  );
  expect(saidTo('who --profile ann-X@example.com --group Team-X')).toBe(
    'ann-X@example.com  Nimbara Weather  group Team-X  until 2099-12-31\n',
  );
});

test('an approval that fails half-way has printed the keys that it made', async () => {
  const names = [...Array.from({ length: approvalsMax }, (_, at) => `many-${at}`), 'last'];
  for (const name of names) await register(name);
  const emails = names.map((name) => `${name}@example.com`);
  const database = new Database(join(installation.folder, 'portico.sqlite'));
  database.exec(
    "create trigger failing before update on profiles when new.email = 'last@example.com' begin select raise(fail, 'it is full'); end",
  );
  try {
    const { code, stdout } = await here('--json', 'approve', ...emails);
    expect(code).toBe(1);
    const told = JSON.parse(stdout) as { client_secret: string }[];
    expect(told.map(({ client_secret }) => typeof client_secret)).toEqual(Array(approvalsMax).fill('string'));
  } finally {
    database.exec('drop trigger failing');
    database.close();
  }
  for (const email of emails) await removed(email);
});

const removed = async (email: string): Promise<unknown> =>
  installation.api.ask(await installation.admin(), 'DELETE', `/api/profiles/${email}`);

test('a request is approved by who asks and for what, and the log names who did it', async () => {
  await register('cara');
  const [{ client_id, client_secret }] = JSON.parse(
    (await remotely('--json', 'approve', 'cara@example.com')).stdout,
  ) as [{ client_id: string; client_secret: string }];
  const [admin, cara] = [await installation.admin(), { clientId: client_id, secret: client_secret }];
  const listed = await installation.api.ask<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/');
  for (const { id } of listed.slice(0, 2)) {
    await installation.api.ask(admin, 'PUT', `/api/collections/${id}`, { discoverable: true });
    await installation.api.ask(cara, 'POST', '/api/access/requests', { collection_id: id, reason: 'To try it' });
  }
  const [first = '', second = ''] = listed.map(({ name }) => name);
  expect((await remotely('requests', 'approve', 'cara@example.com')).stderr).toContain('name the collection too');
  const approved = await remotely('requests', 'approve', 'cara@example.com', first, '--until', '2099-12-31');
  expect(approved).toMatchObject({ code: 0, stdout: `approved  cara@example.com  ${first}\n` });
  expect(await here('requests', 'deny', 'cara@example.com', '--reason', 'Not now')).toMatchObject({
    code: 0,
    stdout: `denied  cara@example.com  ${second}\n`,
  });
  expect((await here('requests', 'deny', 'cara@example.com')).code).toBe(1);
  expect((await here('requests', 'list', '--all')).stdout).toMatch(/denied.*cara@example\.com/);
  const log = await remotely('audit', '--limit', '2');
  expect(log.stdout).toMatch(/ - +access\.request\.deny .*profile=cara@example\.com collection=/);
  expect(log.stdout).toMatch(/admin@\S+ +access\.request\.approve .*expires_at=2100-01-01T00:00:00\.000Z\n$/);
});
