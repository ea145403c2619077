import { ManualClock } from '@portico/contracts';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken } from '../test/loopback-provider.ts';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { createJwtVerifier } from './jwt-verifier.ts';
import { readKeySet, type KeySet } from './key-set.ts';

const [retainedKey, droppedKey] = await Promise.all([makeSigningKey('retained'), makeSigningKey('dropped')]);
const [fullSet, reducedSet] = (await Promise.all(
  [[retainedKey, droppedKey], [retainedKey]].map((keys) =>
    readKeySet(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })),
  ),
)) as [KeySet, KeySet];

const openVerifier = () => {
  const clock = new ManualClock();
  const source = { set: fullSet, requests: 0 };
  const verifier = createJwtVerifier({
    issuer: 'https://id.example.com',
    audience: 'app',
    clock,
    keys: {
      getCurrent: async () => source.set,
      findNewer: async (set) => {
        source.requests += 1;
        return source.set === set ? null : source.set;
      },
    },
  });
  const claims = { iss: 'https://id.example.com', aud: 'app', sub: 'alice', exp: clock.now() / 1_000 + 3_600 };
  return { source, verifier, claims };
};

test('a cached token is dropped once the set lacks its key', async () => {
  const { source, verifier, claims } = openVerifier();
  const [retainedToken, droppedToken] = [await signToken(retainedKey, claims), await signToken(droppedKey, claims)];
  for (const token of [retainedToken, droppedToken, retainedToken, droppedToken])
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
  source.set = reducedSet;
  expect(await outcomeOf(verifier.verify(retainedToken))).toBe('good');
  expect(await outcomeOf(verifier.verify(droppedToken))).toBe('invalid_token');
});

test('a set that arrives during a verification does not validate its token', async () => {
  const { source, verifier, claims } = openVerifier();
  const token = await signToken(droppedKey, claims);
  const outcome = outcomeOf(verifier.verify(token));
  await Promise.resolve();
  await Promise.resolve();
  source.set = reducedSet;
  expect(await outcome).toBe('good');
  expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
});

test('a newer set is requested only for a key that the current one lacks', async () => {
  const { source, verifier, claims } = openVerifier();
  expect(await outcomeOf(verifier.verify(await signToken(retainedKey, claims)))).toBe('good');
  expect(source.requests).toBe(0);
  expect(await outcomeOf(verifier.verify(await signToken(retainedKey, claims, { kid: 'unknown' })))).toBe(
    'invalid_token',
  );
  expect(source.requests).toBe(1);
});
