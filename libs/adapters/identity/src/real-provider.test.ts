import { expect, test } from 'vitest';
import { outcomeOf, useStoppedTime } from '../test/provider-and-verifier.ts';
import { startRealProvider } from '../test/real-provider.ts';
import { fetchTimeoutMs } from './oidc-token-verifier.ts';
import { defaultMaxAgeMs, staleMaxMs, unknownKeyIntervalMs } from './remote-key-source.ts';

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'an ID token that a real provider signs with %s identifies the user',
  async (algorithm) => {
    const { provider, start } = await startRealProvider(algorithm);
    const verifier = start();
    const { idToken, accessToken } = await provider.signIn({
      uid: 'alice',
      email: 'Alice@Example.com',
      emailVerified: true,
    });
    expect(await verifier.verify(idToken)).toEqual({
      issuer: provider.issuer,
      uid: 'alice',
      email: 'Alice@Example.com',
      emailVerified: true,
      isAccessToken: false,
      groups: null,
    });
    expect(provider.countRequests()).toEqual({ discovery: 1, keys: 1 });
    expect(await outcomeOf(verifier.verify(accessToken))).toBe('invalid_token');
    expect(await outcomeOf(start({ audience: 'another' }).verify(idToken))).toBe('invalid_token');
    const unverifiedUser = await provider.signIn({ uid: 'bob', email: 'bob@example.com', emailVerified: false });
    expect(await verifier.verify(unverifiedUser.idToken)).toEqual({
      issuer: provider.issuer,
      uid: 'bob',
      email: 'bob@example.com',
      emailVerified: false,
      isAccessToken: false,
      groups: null,
    });
  },
);

test('after a rotation the new key is found within 30 seconds, and the old one is dropped once unpublished', async () => {
  const { provider, clock, start, idTokenFor } = await startRealProvider();
  const verifier = start();
  const oldToken = await idTokenFor('alice');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  provider.rotate();
  const newToken = await idTokenFor('alice');
  clock.advance(unknownKeyIntervalMs);
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  provider.retireOldKeys();
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  clock.advance(defaultMaxAgeMs);
  await expect.poll(() => outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
});

test('if a provider becomes available again with only new keys, these are used', async () => {
  const { provider, clock, start, idTokenFor } = await startRealProvider();
  const verifier = start();
  const oldToken = await idTokenFor('alice');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  await provider.control.stop();
  provider.rotate();
  provider.retireOldKeys();
  clock.advance(unknownKeyIntervalMs);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  await provider.control.start();
  const newToken = await idTokenFor('alice');
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
});

test('a thousand simultaneous tokens with unknown key ids cause one fetch per 30 seconds', async () => {
  const { provider, clock, start, idTokenFor } = await startRealProvider();
  const verifier = start();
  const validToken = await idTokenFor('alice');
  const [, payload = '', signature = ''] = validToken.split('.');
  const sendTokens = async (): Promise<void> => {
    const tokens = Array.from({ length: 1_000 }, () => {
      const header = { alg: 'RS256', kid: crypto.randomUUID() };
      return [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.');
    });
    const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
    expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
    expect(await outcomeOf(verifier.verify(validToken))).toBe('good');
  };
  await sendTokens();
  clock.advance(unknownKeyIntervalMs - 1);
  await sendTokens();
  expect(provider.countRequests()).toEqual({ discovery: 1, keys: 1 });
  clock.advance(1);
  await sendTokens();
  await sendTokens();
  expect(provider.countRequests()).toEqual({ discovery: 2, keys: 2 });
});

test('a service that starts while its provider is down reports that, and recovers once the provider is up', async () => {
  const { provider, clock, start, idTokenFor } = await startRealProvider();
  const token = await idTokenFor('alice');
  await provider.control.stop();
  const verifier = start();
  expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
  expect(await outcomeOf(verifier.verify('no token'))).toBe('invalid_token');
  await provider.control.start();
  clock.advance(60_000);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
});

test('a service that restarts while its provider is down uses the stored keys, for 24 hours', async () => {
  const { provider, clock, storage, start, restart, idTokenFor } = await startRealProvider();
  const token = await idTokenFor('alice');
  await start().verify(token);
  await expect.poll(storage.text).not.toBeNull();
  await provider.control.stop();
  expect(await outcomeOf(restart().verify(token))).toBe('good');
  clock.advance(staleMaxMs);
  expect(await outcomeOf(restart().verify(token))).toBe('identity_unavailable');
});

test('a token with a known key never waits for a provider that hangs', async () => {
  const { provider, clock, start, idTokenFor } = await startRealProvider();
  const verifier = start({ timeoutMs: 600_000 });
  const token = await idTokenFor('alice');
  const otherToken = await idTokenFor('bob');
  await verifier.verify(token);
  provider.rotate();
  const newToken = await idTokenFor('alice');
  await provider.control.pause();
  clock.advance(defaultMaxAgeMs);
  const pendingOutcome = outcomeOf(verifier.verify(newToken));
  await expect.poll(() => provider.countRequests().discovery).toBe(2);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  expect(await outcomeOf(verifier.verify(otherToken))).toBe('good');
  await verifier.close();
  expect(await pendingOutcome).toBe('invalid_token');
});

test('a request to a provider that hangs times out after 3 seconds, and is retried later', async () => {
  const { provider, clock, start, idTokenFor, warnings } = await startRealProvider();
  const verifier = start({ timeoutMs: fetchTimeoutMs });
  await verifier.verify(await idTokenFor('alice'));
  provider.rotate();
  const newToken = await idTokenFor('alice');
  const time = useStoppedTime();
  await provider.control.pause();
  clock.advance(defaultMaxAgeMs);
  const startedAt = performance.now();
  expect(await time.advanceUntil(outcomeOf(verifier.verify(newToken)))).toBe('invalid_token');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(fetchTimeoutMs);
  expect(warnings).toEqual([
    'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h',
  ]);
  await provider.control.resume();
  clock.advance(unknownKeyIntervalMs);
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
});
