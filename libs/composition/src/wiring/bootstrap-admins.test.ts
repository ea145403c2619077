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

/** Opens a composition with its own log. */
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
const localIsOff = 'The local issuer is off: its admins, such as local-admin, cannot sign in and do not count.';
const noAdmin =
  'No admin can sign in: set BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL, or run "portico people promote EMAIL".';

interface Claims {
  readonly uid: string;
  readonly email?: string;
}

const signInAtProvider = async (person: Claims): Promise<string> =>
  (await provider.signIn({ ...person, ...(person.email ? { emailVerified: true } : {}) })).idToken;

/** Returns the role that a token grants, or the reason why it is rejected. */
const readRole = async ({ useCases }: Portico, token: string): Promise<string> => {
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

/** Creates a database of release 0.1.0 with local-admin, an admin bob and a client alice. */
const createReleased = (): void => {
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  database.exec(readFileSync(join(import.meta.dirname, '../../test/release-0.1.0.sql'), 'utf8'));
  database.close();
};

test('a tool creates no first admin while there is one, even if it cannot sign in, and logs no warning', async () => {
  await (await open()).close();
  const tool = await open({ ...production, ...bootstrap }, 'tool');
  expect(lines).toEqual([]);
  expect(await tool.ports.profiles.admins()).toHaveLength(1);
});

test('a suspended admin does not count as bound to a disabled issuer', async () => {
  createReleased();
  const portico = await open();
  const admin = await portico.useCases.findProfileByEmail(operatorAuthority, 'admin@localhost');
  if (!admin) throw new Error('The local admin is gone');
  await portico.useCases.suspendProfile(operatorAuthority, admin.id, null);
  await portico.close();
  await open();
  expect(warnings()).toEqual([]);
});

test('an admin of the local issuer, which is off now, does not prevent the bootstrap admin', async () => {
  await (await open()).close();
  const portico = await open({ ...production, ...bootstrap });
  expect(warnings()).toEqual([localIsOff]);
  expect(await readRole(portico, await signInAtProvider({ uid: 'boss', email: 'boss@example.com' }))).toBe('admin');
  const mallory = await signInAtProvider({ uid: 'local-admin', email: 'mallory@example.com' });
  expect(await readRole(portico, mallory)).toBe('User not found');
});

test('the bootstrap admin is bound by uid and issuer, and a start that finds it logs no warning', async () => {
  const portico = await open({ ...production, ...bootstrap });
  expect(warnings()).toEqual([]);
  expect(await readRole(portico, await signInAtProvider({ uid: 'boss' }))).toBe('admin');
  await portico.close();
  await (await open({ ...production, ...bootstrap })).close();
  expect(warnings()).toEqual([]);
});

test('a start without an admin who can sign in, and without a bootstrap admin, logs a warning', async () => {
  await open(production);
  expect(warnings()).toEqual([noAdmin]);
});
