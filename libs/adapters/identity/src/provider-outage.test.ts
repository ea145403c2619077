import { expect, test } from 'vitest';
import { makeSigningKey, signToken, unavailable } from '../test/loopback-provider.ts';
import { createMemoryStorage, outcomeOf, providerAndVerifier, useStoppedTime } from '../test/provider-and-verifier.ts';
import { fetchTimeoutMs } from './oidc-token-verifier.ts';
import { freshMs, staleMaxMs } from './remote-key-source.ts';

const [key, stranger] = await Promise.all([makeSigningKey('one'), makeSigningKey('one')]);

/** Stops the provider after its keys have been fetched and stored. The token is valid for a week. */
const startThenFail = async () => {
  const all = await providerAndVerifier([key]);
  const token = await signToken(key, all.claims({ exp: Math.floor(all.clock.now() / 1_000) + 7 * 86_400 }));
  await all.verifier.verify(token);
  await expect.poll(all.storage.text).not.toBeNull();
  all.provider.onKeysRequest(unavailable);
  return { ...all, token };
};

test('during an outage the last keys are used for 24 hours and not longer', async () => {
  const { provider, verifier, clock, token } = await startThenFail();
  clock.advance(staleMaxMs - 1);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  clock.advance(1);
  expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
  provider.onKeysRequest(null);
  clock.advance(60_000);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
});

test('a restart during an outage makes the 24 hours neither longer nor shorter', async () => {
  const { clock, token, restart } = await startThenFail();
  clock.advance(staleMaxMs - 1);
  const restarted = restart();
  expect(await outcomeOf(restarted.verifier.verify(token))).toBe('good');
  restarted.clock.advance(1);
  expect(await outcomeOf(restarted.verifier.verify(token))).toBe('identity_unavailable');
  clock.advance(1);
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('identity_unavailable');
});

test('a restart while the provider is up notices that a key was dropped meanwhile', async () => {
  const { provider, clock, token, restart } = await startThenFail();
  const other = await makeSigningKey('two');
  provider.onKeysRequest(null);
  provider.publish(other.jwk);
  clock.advance(3_600_000);
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('invalid_token');
});

test('a restart soon after a fetch does not fetch again', async () => {
  const { provider, clock, token, restart } = await startThenFail();
  clock.advance(freshMs - 1);
  const { keys } = provider.requests;
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('good');
  expect(provider.requests.keys).toBe(keys);
});

test('setting the clock does not expire the current keys, and a second back keeps the stored ones', async () => {
  const { verifier, clock, token, restart } = await startThenFail();
  for (const jump of [3_600_000, -7_200_000, 3_600_000 - 1_000]) {
    clock.jump(jump);
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
  }
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('good');
});

test('without any key, requests to a provider that is down are retried after 1, 2, 4 … 60 seconds', async () => {
  const { provider, verifier, clock, claims, warnings } = await providerAndVerifier([key]);
  provider.onKeysRequest(unavailable);
  const token = await signToken(key, claims());
  const requestTimes: number[] = [];
  for (let second = 0; second < 400; second++) {
    const { keys } = provider.requests;
    expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
    if (provider.requests.keys > keys) requestTimes.push(second);
    clock.advance(1_000);
  }
  expect(requestTimes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]);
  const [first, ...repeats] = warnings.map(({ level }) => level);
  expect([first, repeats.length, new Set(repeats)]).toEqual(['warn', requestTimes.length - 1, new Set(['debug'])]);
});

test('during an outage unknown key ids cause a fetch every 30 s, or less often with a longer backoff', async () => {
  const { provider, verifier, clock, claims } = await startThenFail();
  const token = await signToken(stranger, claims(), { kid: 'unknown' });
  const requestTimes: number[] = [];
  for (let second = 0; second < 290; second++) {
    const { keys } = provider.requests;
    expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
    if (provider.requests.keys > keys) requestTimes.push(second);
    clock.advance(1_000);
  }
  expect(requestTimes).toEqual([30, 60, 90, 120, 150, 180, 212, 272]);
});

test('a provider that hangs costs each token at most one timeout, and a backoff follows', async () => {
  const time = useStoppedTime();
  const timeoutMs = fetchTimeoutMs;
  const { provider, verifier, claims, warnings } = await providerAndVerifier([key], { timeoutMs });
  const requestArrived = new Promise<void>((resolve) => provider.onKeysRequest(() => resolve()));
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => signToken(key, claims({ sub: `${at}` }))));
  const outcomes: string[] = [];
  for (const token of tokens) void outcomeOf(verifier.verify(token)).then((outcome) => outcomes.push(outcome));
  await requestArrived;
  await time.advance(timeoutMs - 1);
  expect(outcomes).toEqual([]);
  await time.advance(1);
  await time.pollInRealTime(() => expect(outcomes).toEqual(tokens.map(() => 'identity_unavailable')));
  for (const token of tokens) expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
  // A timeout is logged once per fetch, no matter which of its two requests timed out.
  expect(warnings).toHaveLength(1);
});

test('a stored set is not used if it is from another issuer, from the future, or malformed', async () => {
  const keys = JSON.stringify({ keys: [stranger.jwk] });
  const fetchedAt = Date.UTC(2026, 0, 1);
  const stored = (issuer: string, more = {}) => JSON.stringify({ issuer, jwksUrl: null, fetchedAt, keys, ...more });
  const cases: ((issuer: string) => string)[] = [
    () => stored('https://other.example.com'),
    (issuer) => stored(issuer, { jwksUrl: 'https://other.example.com/keys' }),
    (issuer) => stored(issuer, { fetchedAt: fetchedAt + 61_000 }),
    (issuer) => stored(issuer, { fetchedAt: 'lately' }),
    (issuer) => stored(issuer, { fetchedAt: fetchedAt - staleMaxMs }),
    (issuer) => stored(issuer, { keys: '{"keys":[]}' }),
    ...['', 'x', 'null', '{}', '[]', '7'].map((text) => () => text),
  ];
  for (const textFor of cases) {
    const { provider, start, claims } = await providerAndVerifier([key]);
    const text = textFor(provider.issuer);
    const verifier = start({ storage: { ...createMemoryStorage(), load: async () => text } });
    expect(await outcomeOf(verifier.verify(await signToken(key, claims()))), text).toBe('good');
    expect(await outcomeOf(verifier.verify(await signToken(stranger, claims()))), text).toBe('invalid_token');
    expect(provider.requests.keys).toBe(1);
  }
  const { provider, start, claims } = await providerAndVerifier([key]);
  const verifier = start({ storage: { ...createMemoryStorage(), load: async () => stored(provider.issuer) } });
  expect(await outcomeOf(verifier.verify(await signToken(stranger, claims())))).toBe('good');
});

test('a storage that fails is logged, and does not prevent verification', async () => {
  const fail = () => Promise.reject(new Error('the disk is full'));
  const { verifier, claims, warnings } = await providerAndVerifier([key], { storage: { load: fail, save: fail } });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  await expect
    .poll(() => warnings.map(({ message }) => message))
    .toEqual([
      'The stored keys of the identity provider could not be read',
      'The keys of the identity provider could not be stored; a restart has to fetch them',
    ]);
});

test('a storage that hangs while saving prevents neither verification nor closing', async () => {
  const never = new Promise<void>(() => undefined);
  const { verifier, claims } = await providerAndVerifier([key], {
    storage: { load: async () => null, save: () => never },
  });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  await verifier.close();
});
