import { createTestIssuer, testAccessAudiences, testIssuer } from '@portico/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../src/index.ts';
import { provideSubject } from './provide-subject.ts';
import { startInMemory } from './start-in-memory.ts';
import type { Person } from './subject.ts';

const mcpPath = '/mcp';
const publicUrl = 'https://portico.example.com';
const metadataPath = '/.well-known/oauth-protected-resource/mcp';
const challenge = `Bearer resource_metadata="${publicUrl}${metadataPath}", scope="openid email"`;
const [resource] = testAccessAudiences;
const accessTokens = { resource, issuer: testIssuer, scopes: ['openid', 'email'] };
const issuer = createTestIssuer({ clock: { now: Date.now } });

/** Creates an access token of each type that providers use. */
const accessTokensOf = (uid: string, claims: Readonly<Record<string, string>> = {}): readonly string[] => {
  const allClaims = { iss: testIssuer, aud: resource, sub: uid, exp: Date.UTC(2030, 0, 1) / 1_000, ...claims };
  return ['at+jwt', 'JWT'].map((type) => issuer.mintClaims(allClaims, type));
};

/** Every other route that identifies its caller, with a value for each parameter. */
const otherRoutes = routes
  .filter(({ auth, path }) => auth !== 'free' && auth !== 'open' && path !== mcpPath)
  .map(({ method, path }) => [method, path.replace(/:\w+/g, '11111111-1111-4111-8111-111111111111')] as const);

describe('access tokens', () => {
  const { subject, fixtures, call } = provideSubject(startInMemory, {
    http: { accessTokens },
    settings: { publicUrl },
  });
  let alice: Person;
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const callMcp = (token: string) => call('POST', mcpPath, { token, json: ping });
  /** Returns the profile of the last admitted request, from its log line. */
  const findLastProfileId = (): unknown =>
    (JSON.parse(subject.listLogLines().at(-1) ?? '{}') as Record<string, unknown>)['profile_id'];

  beforeAll(async () => {
    alice = await fixtures.register();
    expect((await call('GET', '/api/profiles/me', { token: alice.token })).status).toBe(200);
  });

  test('the metadata has the address of their issuer', async () => {
    const { status, body, headers } = await call('GET', metadataPath);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      resource,
      resource_name: 'portico',
      authorization_servers: [accessTokens.issuer],
      scopes_supported: ['openid', 'email'],
      bearer_methods_supported: ['header'],
    });
    expect((await call('GET', '/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  test('are accepted at the MCP endpoint, as are identity tokens and key pairs', async () => {
    for (const token of [...accessTokensOf(alice.uid), alice.token]) {
      const { status } = await callMcp(token);
      expect([status, findLastProfileId()]).toEqual([200, alice.id]);
    }
    const client = await fixtures.newClient();
    expect((await call('POST', mcpPath, { key: client.key, json: ping })).status).toBe(200);
    expect(findLastProfileId()).toBe(client.id);
    expect((await callMcp(`${client.key.clientId}.${client.key.secret}`)).status).toBe(200);
    expect(findLastProfileId()).toBe(client.id);
  });

  test('a 401 of the MCP endpoint has the address of the metadata', async () => {
    const [wrongToken = ''] = accessTokensOf(alice.uid, { aud: `${publicUrl}/other` });
    for (const options of [{}, { token: 'garbage' }, { token: wrongToken }, { headers: ['X-API-Key', 'x'] }]) {
      const { status, headers } = await call('POST', mcpPath, options);
      expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
    }
  });

  test.each(otherRoutes)(
    'are rejected by %s %s, even after the MCP endpoint has accepted them',
    async (method, path) => {
      for (const token of accessTokensOf(alice.uid)) {
        expect((await callMcp(token)).status).toBe(200);
        const { status, body, headers } = await call(method, path, { token });
        expect([status, body]).toEqual([401, { detail: 'Invalid or expired token' }]);
        expect(headers['www-authenticate']).toBe('Bearer');
      }
    },
  );

  test('are rejected by all other routes even before the MCP endpoint has accepted them', async () => {
    for (const token of accessTokensOf(alice.uid, { jti: 'fresh' })) {
      for (const [method, path] of otherRoutes) expect((await call(method, path, { token })).status).toBe(401);
      expect((await callMcp(token)).status).toBe(200);
    }
  });

  test('a GET of the MCP endpoint is not allowed, but shows where to get one', async () => {
    const { status, headers } = await call('GET', mcpPath);
    expect([status, headers['allow'], headers['www-authenticate']]).toEqual([405, 'POST', challenge]);
  });

  test('without an email address do not bind a profile, but identify it once an identity token has bound it', async () => {
    const bob = await fixtures.register();
    const [token = ''] = accessTokensOf(bob.uid);
    const denial = await callMcp(token);
    expect([denial.status, denial.headers['www-authenticate'], denial.body.detail]).toEqual([
      403,
      undefined,
      expect.stringMatching(/^Registration not confirmed: .*https:\/\/portico\.example\.com\/console$/),
    ]);
    expect((await call('GET', '/api/profiles/me', { token: bob.token })).status).toBe(200);
    expect((await callMcp(token)).status).toBe(200);
    expect(findLastProfileId()).toBe(bob.id);
  });

  test.each(['at+jwt', 'JWT'])('of people who are unknown or suspended are denied with words: %s', async (type) => {
    const tokenOf = (uid: string) => accessTokensOf(uid)[type === 'JWT' ? 1 : 0] ?? '';
    const stranger = await callMcp(tokenOf('stranger'));
    expect([stranger.status, stranger.body.detail]).toEqual([
      403,
      expect.stringMatching(/^Not registered: .* Register at https:\/\/portico\.example\.com\/console;/),
    ]);
    const carol = await fixtures.register();
    expect((await call('GET', '/api/profiles/me', { token: carol.token })).status).toBe(200);
    const token = tokenOf(carol.uid);
    expect((await callMcp(token)).status).toBe(200);
    expect((await call('POST', `/api/profiles/${carol.id}/suspend`, { token: fixtures.admin })).status).toBe(200);
    const suspended = await callMcp(token);
    expect([suspended.status, suspended.body.detail]).toEqual([
      403,
      expect.stringMatching(/^Profile suspended: .*https:\/\/portico\.example\.com\/console.* Ask/),
    ]);
  });

  test('do not change the response to the identity token of a stranger', async () => {
    const { status, headers, body } = await callMcp(await subject.mint({ uid: 'stranger' }));
    expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
    expect(body.detail).toMatch(/^Invalid or expired token/);
  });

  test('of a different issuer are rejected', async () => {
    for (const token of accessTokensOf(alice.uid, { iss: 'https://id.example.org' })) {
      expect((await callMcp(token)).status).toBe(401);
    }
  });

  test('do not give admins access to other routes either', async () => {
    for (const token of accessTokensOf('first-admin')) {
      expect((await callMcp(token)).status).toBe(200);
      expect(findLastProfileId()).toBe(fixtures.adminId);
      expect((await call('GET', '/api/profiles/', { token })).status).toBe(401);
    }
  });
});

test('access tokens are rejected if registration requires a token', async () => {
  const subject = await startInMemory({ http: { accessTokens }, settings: { registrationRequiresToken: true } });
  const email = 'carol@example.com';
  const json = { firebase_uid: 'carol', email, full_name: 'Carol' };
  for (const token of accessTokensOf('carol', { email })) {
    const reply = await subject.client.call('POST', '/api/profiles/register', { json, token });
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  await subject.close();
});

test('failed access tokens count as failed credentials', async () => {
  const settings = { failedCredentialsLimit: { allowed: 2, windowSeconds: 60 } };
  const subject = await startInMemory({ http: { accessTokens }, settings });
  const [token = ''] = accessTokensOf('alice', { aud: 'another' });
  for (const status of [401, 401, 429]) {
    expect((await subject.client.call('POST', mcpPath, { token })).status).toBe(status);
  }
  await subject.close();
});

test('a service that accepts no access tokens publishes no metadata', async () => {
  const subject = await startInMemory();
  expect((await subject.client.call('GET', metadataPath)).status).toBe(404);
  const rejection = await subject.client.call('POST', mcpPath);
  expect([rejection.status, rejection.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  await subject.close();
});

test('if the service is below a path, the path of the metadata comes before that path', async () => {
  const nestedAccessTokens = { ...accessTokens, resource: 'https://example.com/portico/mcp' };
  const subject = await startInMemory({ http: { accessTokens: nestedAccessTokens } });
  const { headers } = await subject.client.call('POST', mcpPath);
  expect(headers['www-authenticate']).toBe(
    'Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource/portico/mcp", scope="openid email"',
  );
  await subject.close();
});
