import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { operatorAuthority } from '@portico/domain';
import { recordingStream, startIdentityProvider, temporaryFolder } from '@portico/test-servers';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { compose, type Composition, type Portico } from './compose.ts';
import { readConfig } from '../config.ts';
import type { ProcessRole } from '../process-role.ts';
import { createLogger } from '../runtime/logging.ts';

const provider = await startIdentityProvider();
afterAll(() => provider.close());

const secretsKey = Buffer.alloc(32, 7).toString('base64');

let folder: string;
let lines: readonly string[];
const opened: Portico[] = [];
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});
afterEach(async () => {
  for (const portico of opened.splice(0)) await portico.close();
});

/** Opens a composition with a log of its own. */
const open = async (variables: Record<string, string> = {}, role: ProcessRole = 'http'): Promise<Composition> => {
  const { stream, written } = recordingStream();
  lines = written;
  const config = readConfig({ DATA_DIR: folder, SECRETS_KEY: secretsKey, ...variables });
  const portico = await compose(config, createLogger('info', 'test', stream), role);
  opened.push(portico);
  return portico;
};

const warnings = (): readonly string[] =>
  lines
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .flatMap((line) => (line.level === 'warn' ? [line.msg] : []));

const production = {
  NODE_ENV: 'production',
  IDENTITY_ISSUER: provider.issuer,
  IDENTITY_AUDIENCE: provider.clientId,
};
const bootstrap = { BOOTSTRAP_ADMIN_UID: 'boss', BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com' };
const notApplied =
  'BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL are set but not applied: an admin who can sign in already exists.';
const localIsOff = 'The local issuer is off: its admins, such as local-admin, cannot sign in and do not count.';
const noAdmin =
  'No admin can sign in: set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".';

interface Claims {
  readonly uid: string;
  readonly email?: string;
}

const byProvider = async (person: Claims): Promise<string> =>
  (await provider.signIn({ ...person, ...(person.email ? { emailVerified: true } : {}) })).idToken;
const byLocal = async ({ localIssuer }: Portico, claims: Claims): Promise<string> =>
  (await localIssuer?.mint({ ...claims, ttlSeconds: 60 })) ?? '';

/** The role that a token gives, or why it is refused. */
const roleBy = async ({ useCases }: Portico, token: string): Promise<string> => {
  const credential = { kind: 'token', token } as const;
  const admission = await useCases
    .admit({
      credential,
      auth: 'token',
      target: null,
      sender: { address: '::1' },
      unregistered: 'user_not_found',
      deadline: null,
    })
    .catch((error: unknown) => error as Error);
  return admission instanceof Error ? admission.message : admission.principal.profile.role;
};

/** A database with local-admin, an admin bob and a client alice who were bound, and carol, who was not. */
const beforeIssuers = (): void => {
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  database.exec(readFileSync(join(import.meta.dirname, '../../test/before-issuers.sql'), 'utf8'));
  database.close();
};

test('a profile bound before issuers were stored belongs to the local issuer if none is configured', async () => {
  beforeIssuers();
  const portico = await open();
  expect(warnings()).toEqual([]);
  const outcome = async (claims: Claims) => roleBy(portico, await byLocal(portico, claims));
  expect(await outcome({ uid: 'local-admin' })).toBe('admin');
  expect(await outcome({ uid: 'bob' })).toBe('admin');
  expect(await outcome({ uid: 'alice' })).toBe('client');
  expect(await outcome({ uid: 'carol' })).toBe('User not found');
  expect(await outcome({ uid: 'carol', email: 'carol@example.com' })).toBe('client');
});

test('a profile bound before issuers were stored belongs to the configured issuer, except the local admin', async () => {
  beforeIssuers();
  const portico = await open({ ...production, ...bootstrap });
  expect(warnings()).toEqual([notApplied, localIsOff]);
  const outcome = async (claims: Claims) => roleBy(portico, await byProvider(claims));
  expect(await outcome({ uid: 'local-admin', email: 'mallory@example.com' })).toBe('User not found');
  expect(await outcome({ uid: 'local-admin', email: 'admin@localhost' })).toBe('User not found');
  expect(await outcome({ uid: 'bob' })).toBe('admin');
  expect(await outcome({ uid: 'alice' })).toBe('client');
  expect(await outcome({ uid: 'carol' })).toBe('User not found');
  expect(await outcome({ uid: 'carol', email: 'carol@example.com' })).toBe('client');
  expect(await outcome({ uid: 'boss', email: 'boss@example.com' })).toBe('User not found');
  await portico.close();
  const local = await open({ IDENTITY_LOCAL: 'true' });
  expect(await roleBy(local, await byLocal(local, { uid: 'local-admin' }))).toBe('admin');
  expect(await roleBy(local, await byLocal(local, { uid: 'bob' }))).toBe('User not found');
});

/** Runs a statement in another process, because two SQLite libraries in one process do not see each other's locks. */
const elsewhere = (sql: string): readonly unknown[] => {
  const code = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    console.log(JSON.stringify(database.prepare(process.argv[2]).all()));`;
  const said = execFileSync(process.execPath, ['-e', code, join(folder, 'portico.sqlite'), sql], { encoding: 'utf8' });
  return JSON.parse(said) as readonly unknown[];
};

test('a binding made by a process of an older version beside this one does not count until the e-mail agrees', async () => {
  beforeIssuers();
  await (await open()).close();
  elsewhere(`update profiles set bound = 1 where uid = 'carol'`);
  const carol = () => elsewhere(`select bound, issuer from profiles where uid = 'carol'`)[0];
  const portico = await open();
  expect(carol()).toEqual({ bound: 1, issuer: null });
  expect(await roleBy(portico, await byLocal(portico, { uid: 'carol' }))).toBe('User not found');
  expect(await roleBy(portico, await byLocal(portico, { uid: 'carol', email: 'carol@example.com' }))).toBe('client');
  expect(carol()).toEqual({ bound: 1, issuer: 'https://local-issuer.portico.invalid' });
});

test('a tool beside the service neither assigns issuers to old profiles nor chooses the first admin', async () => {
  beforeIssuers();
  // A tool does not migrate the tables.
  await (await open({}, 'worker')).close();
  const tool = await open({}, 'tool');
  expect(lines).toEqual([]);
  const alice = await tool.useCases.findProfileByEmail(operatorAuthority, 'alice@example.com');
  if (!alice) throw new Error('Alice is gone');
  await tool.useCases.changeRole(operatorAuthority, alice.id, 'admin');
  await tool.close();
  const portico = await open(production);
  expect(await roleBy(portico, await byProvider({ uid: 'alice' }))).toBe('admin');
  await portico.close();
  await (await open({}, 'tool')).close();
  const again = await open(production);
  expect(await again.ports.profiles.admins()).toHaveLength(3);
});

test('an admin who is suspended is of an issuer that is on', async () => {
  beforeIssuers();
  const portico = await open();
  const admin = await portico.useCases.findProfileByEmail(operatorAuthority, 'admin@localhost');
  if (!admin) throw new Error('The local admin is gone');
  await portico.useCases.suspendProfile(operatorAuthority, admin.id, null);
  await portico.close();
  await open();
  expect(warnings()).toEqual([]);
});

test('an admin of the local issuer, which is off now, does not keep the bootstrap admin from being made', async () => {
  await (await open()).close();
  const portico = await open({ ...production, ...bootstrap });
  expect(warnings()).toEqual([localIsOff]);
  expect(await roleBy(portico, await byProvider({ uid: 'boss', email: 'boss@example.com' }))).toBe('admin');
  const mallory = await byProvider({ uid: 'local-admin', email: 'mallory@example.com' });
  expect(await roleBy(portico, mallory)).toBe('User not found');
});

test('the bootstrap admin is bound by uid and issuer, and a start that finds it logs no warning', async () => {
  const portico = await open({ ...production, ...bootstrap });
  expect(warnings()).toEqual([]);
  expect(await roleBy(portico, await byProvider({ uid: 'boss' }))).toBe('admin');
  await portico.close();
  await (await open({ ...production, ...bootstrap })).close();
  expect(warnings()).toEqual([]);
});

test('a start without an admin who can sign in, and without a named one, logs a warning', async () => {
  await open(production);
  expect(warnings()).toEqual([noAdmin]);
});
