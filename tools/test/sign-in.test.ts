import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startIdentityProvider, type IdentityProviderOptions } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { openInstallation } from './provide-installation.ts';
import { startTool, startToolProcess, type RunningTool } from './run-tool.ts';

const ada = { uid: 'ada', email: 'ada@example.com', emailVerified: true };

/** A service that trusts a real OpenID Connect provider, and the tool on another machine. */
const setUp = async (options: IdentityProviderOptions = {}) => {
  const provider = await startIdentityProvider(options);
  onTestFinished(() => provider.close());
  const installation = await openInstallation({
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    BOOTSTRAP_ADMIN_UID: ada.uid,
    BOOTSTRAP_ADMIN_EMAIL: ada.email,
  });
  const { address } = await installation.compose();
  const home = join(installation.folder, 'home');
  const env = {
    XDG_CONFIG_HOME: home,
    PORTICO_SERVER: address,
    PORTICO_ISSUER: provider.issuer,
    PORTICO_CLIENT_ID: provider.clientId,
  };
  const tool = (...args: readonly string[]) => installation.toolElsewhere(env, ...args);
  const folder = join(home, 'portico', 'sign-ins');
  const file = () => join(folder, readdirSync(folder)[0] ?? 'none');
  const kept = () => JSON.parse(readFileSync(file(), 'utf8')) as { id_token: string; refresh_token: string };
  /** Starts to sign in, and returns what is said until `pattern` is found in it. */
  const startLogin = async (pattern: RegExp, { said, ended }: RunningTool) => {
    let hasEnded = false;
    void ended.finally(() => (hasEnded = true));
    await expect.poll(() => hasEnded || pattern.test(said())).toBe(true);
    const found = pattern.exec(said());
    if (!found) throw new Error(said());
    return { found, ended };
  };
  const byDevice = async () => {
    const pattern = /open (http\S+) on any device and enter the code (\S+)/;
    const { found, ended } = await startLogin(pattern, startTool(env, ['login']));
    expect(await provider.browse(ada, `${found[1]}?user_code=${found[2]}`)).toBeNull();
    return ended;
  };
  const byBrowser = async (start = startTool) => {
    const { found, ended } = await startLogin(/^(http\S+)$/m, start(env, ['login']));
    const landing = await provider.browse(ada, found[1] ?? '');
    return { landing: landing ?? '', start: new URL(found[1] ?? ''), ended };
  };
  return { provider, installation, address, tool, folder, file, kept, byDevice, byBrowser };
};

test('a person signs in on another device, and the tool then works over HTTP', async () => {
  const { installation, address, tool, folder, file, kept, byDevice } = await setUp({ deviceFlow: 'on' });
  const { code, stdout, stderr } = await byDevice();
  expect([code, stdout]).toEqual([0, `Signed in at ${address}; the sign-in is renewed while it is used.\n`]);
  expect(stderr).not.toContain('eyJ');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toHaveLength(1);
  expect((await tool('people', 'list', '--admins')).stdout).toContain('ada@example.com');
  expect((await tool('whoami')).stdout).toContain(`${address}: ada@example.com, admin, by the sign-in, until `);
  const document = join(installation.folder, 'a.json');
  writeFileSync(document, '{"openapi":"3.0.3","info":{"title":"A","version":"1"},"paths":{}}');
  expect((await tool('import', document)).stdout).toContain('1 created');
  // The variable comes first.
  const other = await installation.toolElsewhere(
    { PORTICO_TOKEN: 'x', XDG_CONFIG_HOME: folder },
    '--server',
    address,
    'whoami',
  );
  expect(other.stderr).toContain('the credential of PORTICO_TOKEN');
  chmodSync(file(), 0o644);
  expect((await tool('whoami')).stderr).toMatch(/can be read by others: change that \(chmod 600\)/);
  expect(kept().id_token).toMatch(/^eyJ/);
});

test('a person signs in with a browser on the same machine, and nobody else can', async () => {
  const { address, tool, byBrowser } = await setUp();
  const { landing, start, ended } = await byBrowser(startToolProcess);
  expect(Object.fromEntries(start.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
  });
  const callback = new URL(landing);
  expect([callback.hostname, callback.pathname]).toEqual(['127.0.0.1', '/callback']);
  const forged = new URL(landing);
  forged.searchParams.set('state', 'another');
  expect((await fetch(forged)).status).toBe(404);
  expect((await fetch(new URL('/', landing))).status).toBe(404);
  const page = await fetch(landing);
  expect([page.status, await page.text()]).toEqual([200, 'You are signed in. You can close this page.\n']);
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`Signed in at ${address}`) as string });
  expect((await tool('people', 'list', '--admins')).stdout).toContain('ada@example.com');
});

test('an issuer that has the device flow, but not for this client, is asked by a browser', async () => {
  const { byBrowser } = await setUp({ deviceFlow: 'unlisted' });
  const { landing, ended } = await byBrowser();
  await (await fetch(landing)).text();
  expect(await ended).toMatchObject({ code: 0 });
});

test('a sign-in is renewed before it expires, and ends with a sentence when the issuer ends it', async () => {
  // Shorter than a token has to live to be used as it is.
  const { provider, address, tool, kept, file, byDevice } = await setUp({ deviceFlow: 'on', idTokenSeconds: 100 });
  await byDevice();
  const first = kept();
  // Tokens of one second are equal.
  await pause(1_000);
  expect(await tool('people', 'list', '--admins')).toMatchObject({ code: 0, stderr: '' });
  const second = kept();
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(second.id_token).not.toBe(first.id_token);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect((await tool('whoami')).code).toBe(0);
  const { refresh_token } = kept();
  await fetch(`${provider.issuer}/token/revocation`, {
    method: 'POST',
    body: new URLSearchParams({ token: refresh_token, client_id: provider.clientId }),
  });
  // The token of the last renewal is still good for a while; then there is nothing left.
  expect((await tool('whoami')).code).toBe(0);
  const [header, , signature] = kept().id_token.split('.');
  const expired = Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url');
  writeFileSync(file(), JSON.stringify({ ...kept(), id_token: `${header}.${expired}.${signature}` }));
  const ended = await tool('whoami');
  expect([ended.code, ended.stderr]).toEqual([
    1,
    `portico: the sign-in at ${address} has ended: run "portico login --server ${address}" again\n`,
  ]);
});

test('signing out forgets the sign-in here and revokes it at the issuer', async () => {
  const { provider, address, tool, kept, file, byDevice } = await setUp({ deviceFlow: 'on' });
  await byDevice();
  const { refresh_token } = kept();
  const path = file();
  expect(await tool('--json', 'logout')).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ server: address, was_signed_in: true, revoked: true }, null, 2)}\n`,
  });
  expect(existsSync(path)).toBe(false);
  const renewal = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: provider.clientId }),
  });
  expect(await renewal.json()).toMatchObject({ error: 'invalid_grant' });
  expect((await tool('logout')).stdout).toBe(`Nobody was signed in at ${address}.\n`);
  expect((await tool('whoami')).stderr).toContain(`run "portico login --server ${address}"`);
});

test('signing in says what is missing or wrong', async () => {
  const installation = await openInstallation();
  const login = (...args: readonly string[]) =>
    installation.toolElsewhere(
      { HOME: installation.folder },
      '--server',
      'https://portico.example.com',
      'login',
      ...args,
    );
  const client = ['--client-id', 'portico'] as const;
  expect(await login()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pass --issuer and --client-id') as string,
  });
  for (const [issuer, said] of [
    ['http://issuer.example.com', 'must be an https address, or http on loopback'],
    ['http://127.0.0.1:1', 'cannot be discovered'],
  ] as const) {
    const ran = await login('--issuer', issuer, ...client);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(ran.stderr).not.toContain('    at ');
  }
});
