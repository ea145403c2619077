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
  const runTool = (...args: readonly string[]) => installation.runToolWith(env, ...args);
  const folder = join(home, 'portico', 'sign-ins');
  const findSignInFile = () => join(folder, readdirSync(folder)[0] ?? 'none');
  const readTokens = () =>
    JSON.parse(readFileSync(findSignInFile(), 'utf8')) as { id_token: string; refresh_token: string };
  /** Waits until `pattern` matches the standard error of a login, and returns the match. Throws if the login exits. */
  const startLogin = async (pattern: RegExp, { readErrorOutput, result }: RunningTool) => {
    let hasExited = false;
    void result.finally(() => (hasExited = true));
    await expect.poll(() => hasExited || pattern.test(readErrorOutput())).toBe(true);
    const match = pattern.exec(readErrorOutput());
    if (!match) throw new Error(readErrorOutput());
    return { match, result };
  };
  const logInByDevice = async () => {
    const pattern = /open (http\S+) on any device and enter the code (\S+)/;
    const { match, result } = await startLogin(pattern, startTool(env, ['login']));
    expect(await provider.browse(ada, `${match[1]}?user_code=${match[2]}`)).toBeNull();
    return result;
  };
  const logInByBrowser = async (start = startTool) => {
    const { match, result } = await startLogin(/^(http\S+)$/m, start(env, ['login']));
    const landingPage = await provider.browse(ada, match[1] ?? '');
    return { landingPage: landingPage ?? '', start: new URL(match[1] ?? ''), result };
  };
  return {
    provider,
    installation,
    address,
    runTool,
    folder,
    findSignInFile,
    readTokens,
    logInByDevice,
    logInByBrowser,
  };
};

test('a person signs in on another device, and the tool then works over HTTP', async () => {
  const { installation, address, runTool, folder, findSignInFile, readTokens, logInByDevice } = await setUp({
    deviceFlow: 'on',
  });
  const { code, stdout, stderr } = await logInByDevice();
  expect([code, stdout]).toEqual([0, `Signed in to ${address}; the sign-in is renewed as long as it is used.\n`]);
  expect(stderr).not.toContain('eyJ');
  expect(statSync(findSignInFile()).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toHaveLength(1);
  expect((await runTool('people', 'list', '--admins')).stdout).toContain('ada@example.com');
  expect((await runTool('whoami')).stdout).toContain(`${address}: ada@example.com, admin, from the sign-in, until `);
  const document = join(installation.folder, 'a.json');
  writeFileSync(document, '{"openapi":"3.0.3","info":{"title":"A","version":"1"},"paths":{}}');
  expect((await runTool('import', document)).stdout).toContain('1 created');
  // The variable takes precedence.
  const tokenRun = await installation.runToolWith(
    { PORTICO_TOKEN: 'x', XDG_CONFIG_HOME: folder },
    '--server',
    address,
    'whoami',
  );
  expect(tokenRun.stderr).toContain('the credential from PORTICO_TOKEN');
  chmodSync(findSignInFile(), 0o644);
  expect((await runTool('whoami')).stderr).toMatch(/can be read by other users: change that \(chmod 600\)/);
  expect(readTokens().id_token).toMatch(/^eyJ/);
});

test('a person signs in with a browser on the same machine, and no one else can', async () => {
  const { address, runTool, logInByBrowser } = await setUp();
  const { landingPage, start, result } = await logInByBrowser(startToolProcess);
  expect(Object.fromEntries(start.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
  });
  const callback = new URL(landingPage);
  expect([callback.hostname, callback.pathname]).toEqual(['127.0.0.1', '/callback']);
  const forgedUrl = new URL(landingPage);
  forgedUrl.searchParams.set('state', 'another');
  expect((await fetch(forgedUrl)).status).toBe(404);
  expect((await fetch(new URL('/', landingPage))).status).toBe(404);
  const page = await fetch(landingPage);
  expect([page.status, await page.text()]).toEqual([200, 'You are signed in. You can close this page.\n']);
  expect(await result).toMatchObject({ code: 0, stdout: expect.stringContaining(`Signed in to ${address}`) as string });
  expect((await runTool('people', 'list', '--admins')).stdout).toContain('ada@example.com');
});

test('a person signs in with a browser if the issuer supports the device flow, but not for this client', async () => {
  const { logInByBrowser } = await setUp({ deviceFlow: 'unlisted' });
  const { landingPage, result } = await logInByBrowser();
  await (await fetch(landingPage)).text();
  expect(await result).toMatchObject({ code: 0 });
});

test('a sign-in is renewed before it expires; after it is revoked, a message says how to sign in again', async () => {
  // The lifetime of the tokens is so short that they are already due for renewal.
  const { provider, address, runTool, readTokens, findSignInFile, logInByDevice } = await setUp({
    deviceFlow: 'on',
    idTokenSeconds: 100,
  });
  await logInByDevice();
  const firstTokens = readTokens();
  // Tokens that are issued within the same second are equal.
  await pause(1_000);
  expect(await runTool('people', 'list', '--admins')).toMatchObject({ code: 0, stderr: '' });
  const secondTokens = readTokens();
  expect(secondTokens.refresh_token).not.toBe(firstTokens.refresh_token);
  expect(secondTokens.id_token).not.toBe(firstTokens.id_token);
  expect(statSync(findSignInFile()).mode & 0o777).toBe(0o600);
  expect((await runTool('whoami')).code).toBe(0);
  const { refresh_token } = readTokens();
  await fetch(`${provider.issuer}/token/revocation`, {
    method: 'POST',
    body: new URLSearchParams({ token: refresh_token, client_id: provider.clientId }),
  });
  // The token from the last renewal is still valid for a while. After that, no credential is left.
  expect((await runTool('whoami')).code).toBe(0);
  const [header, , signature] = readTokens().id_token.split('.');
  const expiredPayload = Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url');
  writeFileSync(
    findSignInFile(),
    JSON.stringify({ ...readTokens(), id_token: `${header}.${expiredPayload}.${signature}` }),
  );
  const expiredRun = await runTool('whoami');
  expect([expiredRun.code, expiredRun.stderr]).toEqual([
    1,
    `portico: the sign-in to ${address} is no longer valid: run "portico login --server ${address}" again\n`,
  ]);
});

test('signing out removes the local sign-in and revokes it at the issuer', async () => {
  const { provider, address, runTool, readTokens, findSignInFile, logInByDevice } = await setUp({ deviceFlow: 'on' });
  await logInByDevice();
  const { refresh_token } = readTokens();
  const path = findSignInFile();
  expect(await runTool('--json', 'logout')).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ server: address, was_signed_in: true, revoked: true }, null, 2)}\n`,
  });
  expect(existsSync(path)).toBe(false);
  const renewal = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: provider.clientId }),
  });
  expect(await renewal.json()).toMatchObject({ error: 'invalid_grant' });
  expect((await runTool('logout')).stdout).toBe(`You were not signed in to ${address}.\n`);
  expect((await runTool('whoami')).stderr).toContain(`run "portico login --server ${address}"`);
});

test('login reports missing and invalid options', async () => {
  const installation = await openInstallation();
  const runLogin = (...args: readonly string[]) =>
    installation.runToolWith(
      { HOME: installation.folder },
      '--server',
      'https://portico.example.com',
      'login',
      ...args,
    );
  const client = ['--client-id', 'portico'] as const;
  expect(await runLogin()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pass --issuer and --client-id') as string,
  });
  for (const [issuer, message] of [
    ['http://issuer.example.com', 'must be an https URL, or http on loopback'],
    ['http://127.0.0.1:1', 'cannot be discovered'],
  ] as const) {
    const result = await runLogin('--issuer', issuer, ...client);
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(result.stderr).not.toContain('    at ');
  }
});
