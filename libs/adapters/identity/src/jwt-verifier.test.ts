import { ClockByHand } from '@portico/contracts';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken } from '../test/loopback-provider.ts';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { createJwtVerifier } from './jwt-verifier.ts';
import { readKeySet, type KeySet } from './key-set.ts';

const [kept, dropped] = await Promise.all([makeSigningKey('kept'), makeSigningKey('dropped')]);
const [both, later] = (await Promise.all(
  [[kept, dropped], [kept]].map((keys) => readKeySet(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))),
)) as [KeySet, KeySet];

const open = () => {
  const clock = new ClockByHand();
  const held = { set: both, asked: 0 };
  const verifier = createJwtVerifier({
    issuer: 'https://id.example.com',
    audience: 'app',
    clock,
    keys: {
      current: async () => held.set,
      later: async (than) => {
        held.asked += 1;
        return held.set === than ? null : held.set;
      },
    },
  });
  const claims = { iss: 'https://id.example.com', aud: 'app', sub: 'alice', exp: clock.now() / 1_000 + 3_600 };
  return { held, verifier, claims };
};

test('a cached token is dropped once the set lacks its key', async () => {
  const { held, verifier, claims } = open();
  const [ofKept, ofDropped] = [await signToken(kept, claims), await signToken(dropped, claims)];
  for (const token of [ofKept, ofDropped, ofKept, ofDropped])
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
  held.set = later;
  expect(await outcomeOf(verifier.verify(ofKept))).toBe('good');
  expect(await outcomeOf(verifier.verify(ofDropped))).toBe('invalid_token');
});

test('a set that arrives during a verification does not vouch for it', async () => {
  const { held, verifier, claims } = open();
  const token = await signToken(dropped, claims);
  const underWay = outcomeOf(verifier.verify(token));
  await Promise.resolve();
  await Promise.resolve();
  held.set = later;
  expect(await underWay).toBe('good');
  expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
});

test('a newer set is requested only for a key that the current one lacks', async () => {
  const { held, verifier, claims } = open();
  expect(await outcomeOf(verifier.verify(await signToken(kept, claims)))).toBe('good');
  expect(held.asked).toBe(0);
  expect(await outcomeOf(verifier.verify(await signToken(kept, claims, { kid: 'unknown' })))).toBe('invalid_token');
  expect(held.asked).toBe(1);
});
