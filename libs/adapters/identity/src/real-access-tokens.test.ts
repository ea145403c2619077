import { machineId } from '@portico/test-servers';
import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { startRealProvider } from '../test/real-provider.ts';

const ownResource = 'https://portico.example.com/mcp';
const otherResource = 'https://another.example.com/mcp';

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'an access token for this service that a real provider signs with %s is accepted wherever access tokens are allowed',
  async (algorithm) => {
    const { provider, start } = await startRealProvider(algorithm, [ownResource, otherResource]);
    const verifier = start({ accessAudiences: [ownResource] });
    const { idToken, accessToken } = await provider.signIn({ uid: 'alice', email: 'alice@example.com' }, ownResource);
    expect(decodeProtectedHeader(accessToken).typ).toBe('at+jwt');
    expect(await verifier.verify(accessToken, 'identity or access')).toEqual({
      issuer: provider.issuer,
      uid: 'alice',
      email: null,
      emailVerified: false,
      isAccessToken: true,
      groups: null,
    });
    expect(await outcomeOf(verifier.verify(accessToken))).toBe('invalid_token');
    expect(await outcomeOf(verifier.verify(idToken, 'identity or access'))).toBe('good');
    expect(await outcomeOf(start().verify(accessToken, 'identity or access'))).toBe('invalid_token');
  },
);

test('an access token of a real provider for a different service is never accepted', async () => {
  const { provider, start } = await startRealProvider('ES256', [ownResource, otherResource]);
  const verifier = start({ accessAudiences: [ownResource] });
  for (const resource of [otherResource, undefined]) {
    const { accessToken } = await provider.signIn({ uid: 'alice' }, resource);
    for (const use of ['identity', 'identity or access'] as const) {
      expect(await outcomeOf(verifier.verify(accessToken, use))).toBe('invalid_token');
    }
  }
});

test('the access token of a machine identifies the machine until it expires', async () => {
  const { provider, start, clock } = await startRealProvider('ES256', [ownResource]);
  const verifier = start({ accessAudiences: [ownResource] });
  const token = await provider.getMachineToken(ownResource);
  expect(await verifier.verify(token, 'identity or access')).toMatchObject({ uid: machineId, email: null });
  clock.advance(86_400_000);
  expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('invalid_token');
});
