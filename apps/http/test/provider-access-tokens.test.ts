import { startIdentityProvider } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startComposed } from './start-composed.ts';
import { createFixtures } from './subject.ts';

const mcpPath = '/mcp';
const publicUrl = 'https://portico.example.com';
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('a client finds the provider in the metadata, gets an access token from it, and calls the MCP endpoint', async () => {
  const resource = `${publicUrl}/mcp`;
  const provider = await startIdentityProvider({ resources: [resource, 'https://another.example.com/'] });
  onTestFinished(() => provider.close());
  const subject = await startComposed(async () => ({
    IDENTITY_LOCAL: 'true',
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: provider.clientId,
    PUBLIC_URL: `${publicUrl}/`,
  }))();
  onTestFinished(() => subject.close());
  const { call } = subject.client;
  const callMcp = (token: string) =>
    call('POST', mcpPath, {
      token,
      json: initialize,
      headers: ['Accept', 'application/json, text/event-stream', 'MCP-Protocol-Version', '2025-11-25'],
    });
  const fixtures = await createFixtures(subject);
  const alice = await fixtures.register();

  const rejection = await call('POST', mcpPath, { json: initialize });
  const [, address = ''] =
    /^Bearer resource_metadata="([^"]+)"/.exec(rejection.headers['www-authenticate'] ?? '') ?? [];
  const metadata = await call('GET', new URL(address).pathname);
  expect([rejection.status, metadata.status]).toEqual([401, 200]);
  expect(metadata.body).toMatchObject({ resource, authorization_servers: [provider.issuer] });

  const person = { uid: alice.uid, email: alice.email };
  const { idToken, accessToken } = await provider.signIn(person, String(metadata.body['resource']));
  expect((await callMcp(accessToken)).status).toBe(403);
  expect((await call('GET', '/api/profiles/me', { token: idToken })).status).toBe(200);
  expect([(await callMcp(accessToken)).status, (await callMcp(idToken)).status]).toEqual([200, 200]);
  expect((await call('GET', '/api/profiles/me', { token: accessToken })).status).toBe(401);

  const otherToken = await provider.signIn(person, 'https://another.example.com/');
  expect((await callMcp(otherToken.accessToken)).status).toBe(401);
  expect((await callMcp(await provider.getMachineToken(resource))).status).toBe(403);
  expect(subject.listLogLines().join('')).not.toContain(accessToken.split('.')[1]);
});
