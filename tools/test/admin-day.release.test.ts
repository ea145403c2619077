import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

/** What the README promises of an administrator's day. */
const commandsMax = 15;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

const people = ['ada', 'bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map(
  (name) => `${name}@example.com`,
);
const [favoured = '', , leaked = '', reader = ''] = people;
const leaver = people.at(-1) ?? '';

interface Approved {
  readonly email: string;
  readonly client_id: string;
  readonly client_secret: string;
}

const keyIn = ({ client_id, client_secret }: Approved) => ({ clientId: client_id, secret: client_secret });

test("an administrator's whole day takes at most 15 commands, and no id is copied", async () => {
  const installation = await createInstallation();
  onTestFinished(() => installation.remove());
  const { address } = await installation.compose();
  const { api } = installation;
  const admin = await installation.admin();
  assert(admin && 'token' in admin);
  for (const email of people) {
    const registration = { firebase_uid: email, email, full_name: email };
    await api.ask(null, 'POST', '/api/profiles/register', registration);
  }
  const commands: string[] = [];
  const typed = async (...args: readonly string[]): Promise<string> => {
    commands.push(args.join(' '));
    const remote = { PORTICO_SERVER: address, PORTICO_TOKEN: admin.token };
    const run = args[0] === 'backup' ? installation.tool(...args) : installation.toolElsewhere(remote, ...args);
    const { code, stdout, stderr } = await run;
    expect(code, `${stderr}${stdout}`).toBe(0);
    return stdout;
  };
  const read = async <Answer>(...args: readonly string[]): Promise<Answer> =>
    JSON.parse(await typed(...args, '--json')) as Answer;
  const statusOf = async (one: Approved) => (await api.call(keyIn(one), 'GET', '/api/usage')).status;
  const limitOf = async (one: Approved): Promise<number> => {
    const path = `/api/rate-limits/effective/${one.client_id}`;
    return (await api.ask<{ allowed_limit: number }>(keyIn(one), 'GET', path)).allowed_limit;
  };

  const { taken } = await read<{ taken: { name: string; outcome: string }[] }>('import', join(root, 'samples'));
  const collections = taken
    .filter(({ outcome }) => outcome === 'created')
    .map(({ name }) => name)
    .slice(0, 8);
  expect(collections).toHaveLength(8);
  const approved = await read<readonly Approved[]>('people', 'approve', '--all-pending');
  const of = (email: string): Approved => approved.find((one) => one.email === email) ?? assert.fail(email);
  expect(approved.map(({ email }) => email).sort()).toEqual(people);
  await typed('limits', 'set-tier', 'gold', '--limit', '1200/60');
  await typed('limits', 'set-tier', 'silver', '--limit', '300/60');
  await typed('limits', 'assign', 'gold', ...people.slice(0, 5));
  await typed('limits', 'assign', 'silver', ...people.slice(5));
  await typed('limits', 'override', favoured, '5000/60');
  await typed('access', 'grant', '--to', ...people, '--collections', ...collections, '--until', '2099-12-31');

  const [used = ''] = collections;
  const [{ id } = { id: '' }] = (
    await api.ask<{ id: string; name: string }[]>(admin, 'GET', '/api/collections/')
  ).filter(({ name }) => name === used);
  await api.ask(keyIn(of(reader)), 'GET', `/api/collections/${id}`);
  await expect.poll(() => api.ask<unknown[]>(keyIn(of(reader)), 'GET', '/api/usage')).not.toEqual([]);

  expect(await read<unknown[]>('access', 'list')).toHaveLength(people.length * collections.length);
  const uses = await read<{ profile_email: string }[]>('usage', 'list', '--collection', used);
  expect(uses.map(({ profile_email }) => profile_email)).toEqual([reader]);
  const changes = await read<{ message: { action: string } }[]>('audit', 'list', '--limit', '200');
  expect(changes.map(({ message }) => message.action)).toContain('tier.create');
  const rotated = await read<Approved>('keys', 'rotate', leaked);
  await typed('people', 'suspend', leaver, '--reason', 'Left the company');
  await typed('backup', join(installation.folder, 'monday.tar'));

  expect(existsSync(join(installation.folder, 'monday.tar'))).toBe(true);
  expect([await statusOf(of(leaked)), await statusOf(rotated), await statusOf(of(leaver))]).toEqual([401, 200, 401]);
  expect(await Promise.all([favoured, reader, people[7] ?? ''].map((email) => limitOf(of(email))))).toEqual([
    5_000, 1_200, 300,
  ]);
  expect(commands.length).toBeLessThanOrEqual(commandsMax);
  expect(commands.filter((command) => uuid.test(command))).toEqual([]);
});
