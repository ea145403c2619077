import { beforeAll, expect, test } from 'vitest';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
} from 'openid-client';
import { provideInstallation } from './provide-installation.ts';

const installation = provideInstallation(beforeAll, { IDENTITY_GROUPS_CLAIM: 'groups' });
beforeAll(async () => {
  await installation.compose();
});

/**
 * Signs in as a browser does, with a certified library that knows only the discovery document. Returns null if this
 * fails.
 */
const signIn = async (address: string, code: string) => {
  const config = await discovery(new URL('https://local-issuer.portico.invalid'), 'portico', undefined, None(), {
    execute: [allowInsecureRequests],
    // The issuer's name cannot be resolved; the console gets the URL of the document from the service.
    [customFetch]: (url, options) =>
      fetch(url.replace('https://local-issuer.portico.invalid', `${address}/local-issuer`), options as RequestInit),
  });
  const [pkceCodeVerifier, expectedState, expectedNonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()];
  const authorizationUrl = buildAuthorizationUrl(config, {
    redirect_uri: `${address}/console/sign-in/callback`,
    scope: 'openid email',
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    one_time_code: code,
  });
  const response = await fetch(authorizationUrl, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) return null;
  const tokens = await authorizationCodeGrant(config, new URL(location), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  return { tokens, renew: () => refreshTokenGrant(config, tokens.refresh_token ?? '') };
};

test('console prints a link with a code that signs in the admin once, while the service runs', async () => {
  const { code: exitCode, stdout, stderr } = await installation.runTool('console');
  expect([exitCode, stderr]).toEqual([0, '']);
  const [link = '', description, codeLine] = stdout.split('\n');
  const { address } = installation.api;
  expect(link).toMatch(new RegExp(`^${address}/console/#code=[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$`));
  expect(description).toBe('The link signs in local-admin (admin@localhost), once, within 10 minutes.');
  const code = link.split('#code=')[1] ?? '';
  expect(codeLine).toContain(code);
  const session = await signIn(address, code);
  expect(session?.tokens.claims()).toMatchObject({ sub: 'local-admin', email: 'admin@localhost' });
  const renewedTokens = await session?.renew();
  for (const token of [session?.tokens.id_token ?? '', renewedTokens?.access_token ?? ''])
    expect((await installation.api.call({ token }, 'GET', '/api/profiles/')).status).toBe(200);
  expect(await signIn(address, code)).toBeNull();
});

test('console signs in any user, with groups, and every process of the service accepts the code', async () => {
  const { stdout } = await installation.runTool(
    ...['--json', 'console', '--uid', 'zoe', '--email', 'zoe@example.com', '--groups', 'a, b', '--minutes', '1440'],
  );
  const link = JSON.parse(stdout) as Readonly<Record<string, string>>;
  expect(link).toMatchObject({ uid: 'zoe', email: 'zoe@example.com' });
  const remainingMs = Date.parse(link['expires_at'] ?? '') - Date.now();
  expect(remainingMs).toBeGreaterThan(23 * 3_600_000);
  expect(remainingMs).toBeLessThanOrEqual(24 * 3_600_000);
  const replica = await installation.composeReplica();
  const addresses = [installation.api.address, replica.api.address];
  const sessions = await Promise.all(addresses.map((address) => signIn(address, link['code'] ?? '')));
  const tokens = sessions.flatMap((session) => (session ? [session.tokens] : []));
  expect(tokens.map((token) => token.claims())).toEqual([
    expect.objectContaining({ sub: 'zoe', email_verified: true, groups: ['a', 'b'] }),
  ]);
});

const readConsoleUrl = async (variables: Readonly<Record<string, string>>): Promise<string> => {
  const consoleVariables = { DATA_DIR: installation.folder, ...variables };
  const { stdout, stderr } = await installation.runToolWith(consoleVariables, 'console');
  return stdout.split('#code=')[0] ?? stderr;
};

test.each([
  [{ PUBLIC_URL: 'https://portico.example.com', PORTICO_ADDRESS: '127.0.0.1:3000' }, 'https://portico.example.com'],
  [{ HOST: '0.0.0.0', PORT: '4000' }, 'http://127.0.0.1:4000'],
  [{ HOST: '::1', PORT: '4000' }, 'http://[::1]:4000'],
  [{ HOST: '0.0.0.0', PORTICO_ADDRESS: '0.0.0.0:8080' }, 'http://127.0.0.1:8080'],
  [{ HOST: '0.0.0.0', PORTICO_ADDRESS: '192.0.2.1:80' }, 'http://192.0.2.1:80'],
  [{ HOST: '0.0.0.0', PORTICO_ADDRESS: '[::1]:8080' }, 'http://[::1]:8080'],
  [{ PORTICO_ADDRESS: '8080' }, 'http://127.0.0.1:8080'],
])('with %j the link leads to %s', async (variables, address) => {
  expect(await readConsoleUrl(variables)).toBe(`${address}/console/`);
});

test('console prints the URL for signing in if the local issuer is off', async () => {
  const issuer = { IDENTITY_ISSUER: 'https://id.example.com', IDENTITY_AUDIENCE: 'portico' };
  const variables = { DATA_DIR: installation.folder, PUBLIC_URL: 'https://portico.example.com', ...issuer };
  const { code, stdout, stderr } = await installation.runToolWith(variables, 'console');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('sign in with the identity provider at https://portico.example.com/console/');
});
