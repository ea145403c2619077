import { machineId } from '@portico/test-servers';
import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { realProvider } from '../test/real-provider.ts';

const here = 'https://portico.example.com/mcp';
const elsewhere = 'https://another.example.com/mcp';

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'an access token for this service that a real provider signs with %s is accepted where access tokens are',
  async (algorithm) => {
    const { provider, start } = await realProvider(algorithm, [here, elsewhere]);
    const verifier = start({ accessAudiences: [here] });
    const { idToken, accessToken } = await provider.signIn({ uid: 'alice', email: 'alice@example.com' }, here);
    expect(decodeProtectedHeader(accessToken).typ).toBe('at+jwt');
    expect(await verifier.verify(accessToken, 'identity or access')).toEqual({
      issuer: provider.issuer,
      uid: 'alice',
      email: null,
      emailVerified: false,
      groups: null,
    });
    expect(await outcomeOf(verifier.verify(accessToken))).toBe('invalid_token');
    expect(await outcomeOf(verifier.verify(idToken, 'identity or access'))).toBe('good');
    expect(await outcomeOf(start().verify(accessToken, 'identity or access'))).toBe('invalid_token');
  },
);

test('an access token of a real provider for another service is accepted nowhere', async () => {
  const { provider, start } = await realProvider('ES256', [here, elsewhere]);
  const verifier = start({ accessAudiences: [here] });
  for (const resource of [elsewhere, undefined]) {
    const { accessToken } = await provider.signIn({ uid: 'alice' }, resource);
    for (const use of ['identity', 'identity or access'] as const) {
      expect(await outcomeOf(verifier.verify(accessToken, use))).toBe('invalid_token');
    }
  }
});

test('the access token of a machine identifies the machine until it expires', async () => {
  const { provider, start, clock } = await realProvider('ES256', [here]);
  const verifier = start({ accessAudiences: [here] });
  const token = await provider.machineToken(here);
  expect(await verifier.verify(token, 'identity or access')).toMatchObject({ uid: machineId, email: null });
  clock.advance(86_400_000);
  expect(await outcomeOf(verifier.verify(token, 'identity or access'))).toBe('invalid_token');
});
