import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { operatorAuthority } from '@portico/domain';
import { createRecordingStream, startIdentityProvider, createTemporaryFolder } from '@portico/test-servers';
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
const openedPorticos: Portico[] = [];
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
});
afterEach(async () => {
  for (const portico of openedPorticos.splice(0)) await portico.close();
});

/** Opens a composition with its own log. */
const open = async (variables: Record<string, string> = {}, role: ProcessRole = 'http'): Promise<Composition> => {
  const { stream, chunks: writtenLines } = createRecordingStream();
  lines = writtenLines;
  const config = readConfig({ DATA_DIR: folder, SECRETS_KEY: secretsKey, ...variables });
  const portico = await compose(config, createLogger('info', 'test', stream), role);
  openedPorticos.push(portico);
  return portico;
};

const listWarnings = (): readonly string[] =>
  lines
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .flatMap((line) => (line.level === 'warn' ? [line.msg] : []));

const production = {
  NODE_ENV: 'production',
  IDENTITY_ISSUER: provider.issuer,
  IDENTITY_AUDIENCE: provider.clientId,
};
const bootstrap = { BOOTSTRAP_ADMIN_UID: 'boss', BOOTSTRAP_ADMIN_EMAIL: 'boss@example.com' };
const localIssuerOffWarning =
  'The local issuer is off: its admins, such as local-admin, cannot sign in and do not count.';
const noAdminWarning =
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
      unregisteredCode: 'user_not_found',
      deadline: null,
    })
    .catch((error: unknown) => error as Error);
  return admission instanceof Error ? admission.message : admission.principal.profile.role;
};

/** Creates a database of release 0.1.0 with local-admin, an admin bob and a client alice. */
const createReleasedDatabase = (): void => {
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  database.exec(readFileSync(join(import.meta.dirname, '../../test/release-0.1.0.sql'), 'utf8'));
  database.close();
};

test('a tool does not create a first admin if there is one, even one that cannot sign in, and does not log a warning', async () => {
  await (await open()).close();
  const tool = await open({ ...production, ...bootstrap }, 'tool');
  expect(lines).toEqual([]);
  expect(await tool.ports.profiles.listAdmins()).toHaveLength(1);
});

test('a suspended admin does not count as bound to a disabled issuer', async () => {
  createReleasedDatabase();
  const portico = await open();
  const admin = await portico.useCases.findProfileByEmail(operatorAuthority, 'admin@localhost');
  if (!admin) throw new Error('The local admin is gone');
  await portico.useCases.suspendProfile(operatorAuthority, admin.id, null);
  await portico.close();
  await open();
  expect(listWarnings()).toEqual([]);
});

test('an admin of the local issuer, which is now off, does not prevent the creation of the bootstrap admin', async () => {
  await (await open()).close();
  const portico = await open({ ...production, ...bootstrap });
  expect(listWarnings()).toEqual([localIssuerOffWarning]);
  expect(await readRole(portico, await signInAtProvider({ uid: 'boss', email: 'boss@example.com' }))).toBe('admin');
  const mallory = await signInAtProvider({ uid: 'local-admin', email: 'mallory@example.com' });
  expect(await readRole(portico, mallory)).toBe('User not found');
});

test('the bootstrap admin is bound by uid and issuer, and later starts do not log a warning', async () => {
  const portico = await open({ ...production, ...bootstrap });
  expect(listWarnings()).toEqual([]);
  expect(await readRole(portico, await signInAtProvider({ uid: 'boss' }))).toBe('admin');
  await portico.close();
  await (await open({ ...production, ...bootstrap })).close();
  expect(listWarnings()).toEqual([]);
});

test('starting without a bootstrap admin and without an admin who can sign in logs a warning', async () => {
  await open(production);
  expect(listWarnings()).toEqual([noAdminWarning]);
});
