import { expect, test } from 'vitest';
import { makeSigningKey, signToken, respondUnavailable } from '../test/loopback-provider.ts';
import {
  createMemoryStorage,
  outcomeOf,
  startProviderAndVerifier,
  useStoppedTime,
} from '../test/provider-and-verifier.ts';
import { fetchTimeoutMs } from './oidc-token-verifier.ts';
import { defaultMaxAgeMs, staleMaxMs } from './remote-key-source.ts';

const [key, otherKey] = await Promise.all([makeSigningKey('one'), makeSigningKey('one')]);

/** Stops the provider after its keys have been fetched and stored. The token is valid for a week. */
const startThenFail = async () => {
  const setup = await startProviderAndVerifier([key]);
  const token = await signToken(key, setup.claims({ exp: Math.floor(setup.clock.now() / 1_000) + 7 * 86_400 }));
  await setup.verifier.verify(token);
  await expect.poll(setup.storage.text).not.toBeNull();
  setup.provider.onKeysRequest(respondUnavailable);
  return { ...setup, token };
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

test('restarting during an outage does not change the 24 hours', async () => {
  const { clock, token, restart } = await startThenFail();
  clock.advance(staleMaxMs - 1);
  const newProcess = restart();
  expect(await outcomeOf(newProcess.verifier.verify(token))).toBe('good');
  newProcess.clock.advance(1);
  expect(await outcomeOf(newProcess.verifier.verify(token))).toBe('identity_unavailable');
  clock.advance(1);
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('identity_unavailable');
});

test('a restart while the provider is up notices that a key was dropped meanwhile', async () => {
  const { provider, clock, token, restart } = await startThenFail();
  const newKey = await makeSigningKey('two');
  provider.onKeysRequest(null);
  provider.publish(newKey.jwk);
  clock.advance(3_600_000);
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('invalid_token');
});

test('restarting soon after a fetch does not fetch again', async () => {
  const { provider, clock, token, restart } = await startThenFail();
  clock.advance(defaultMaxAgeMs - 1);
  const { keys } = provider.requests;
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('good');
  expect(provider.requests.keys).toBe(keys);
});

test('setting the clock does not expire the current keys, and setting it back by a second keeps the stored keys', async () => {
  const { verifier, clock, token, restart } = await startThenFail();
  for (const jump of [3_600_000, -7_200_000, 3_600_000 - 1_000]) {
    clock.jump(jump);
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
  }
  expect(await outcomeOf(restart().verifier.verify(token))).toBe('good');
});

test('without any key, requests to a provider that is down are retried after 1, 2, 4 … 60 seconds', async () => {
  const { provider, verifier, clock, claims, warnings } = await startProviderAndVerifier([key]);
  provider.onKeysRequest(respondUnavailable);
  const token = await signToken(key, claims());
  const requestTimes: number[] = [];
  for (let second = 0; second < 400; second++) {
    const { keys } = provider.requests;
    expect(await outcomeOf(verifier.verify(token))).toBe('identity_unavailable');
    if (provider.requests.keys > keys) requestTimes.push(second);
    clock.advance(1_000);
  }
  expect(requestTimes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]);
  const [firstLevel, ...repeatedLevels] = warnings.map(({ level }) => level);
  expect([firstLevel, repeatedLevels.length, new Set(repeatedLevels)]).toEqual([
    'warn',
    requestTimes.length - 1,
    new Set(['debug']),
  ]);
});

test('during an outage unknown key ids cause a fetch every 30 s, or less often with a longer backoff', async () => {
  const { provider, verifier, clock, claims } = await startThenFail();
  const token = await signToken(otherKey, claims(), { kid: 'unknown' });
  const requestTimes: number[] = [];
  for (let second = 0; second < 290; second++) {
    const { keys } = provider.requests;
    expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
    if (provider.requests.keys > keys) requestTimes.push(second);
    clock.advance(1_000);
  }
  expect(requestTimes).toEqual([30, 60, 90, 120, 150, 180, 212, 272]);
});

test('a provider that hangs delays each token by at most one timeout, and a backoff follows', async () => {
  const time = useStoppedTime();
  const timeoutMs = fetchTimeoutMs;
  const { provider, verifier, claims, warnings } = await startProviderAndVerifier([key], { timeoutMs });
  const requestArrived = new Promise<void>((resolve) => provider.onKeysRequest(() => resolve()));
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, index) => signToken(key, claims({ sub: `${index}` }))),
  );
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

test('a stored set is not used if it is from a different issuer, from the future, or malformed', async () => {
  const keys = JSON.stringify({ keys: [otherKey.jwk] });
  const fetchedAt = Date.UTC(2026, 0, 1);
  const storedText = (issuer: string, changes = {}) =>
    JSON.stringify({ issuer, jwksUrl: null, fetchedAt, keys, ...changes });
  const cases: ((issuer: string) => string)[] = [
    () => storedText('https://other.example.com'),
    (issuer) => storedText(issuer, { jwksUrl: 'https://other.example.com/keys' }),
    (issuer) => storedText(issuer, { fetchedAt: fetchedAt + 61_000 }),
    (issuer) => storedText(issuer, { fetchedAt: 'lately' }),
    (issuer) => storedText(issuer, { fetchedAt: fetchedAt - staleMaxMs }),
    (issuer) => storedText(issuer, { keys: '{"keys":[]}' }),
    ...['', 'x', 'null', '{}', '[]', '7'].map((text) => () => text),
  ];
  for (const textFor of cases) {
    const { provider, start, claims } = await startProviderAndVerifier([key]);
    const text = textFor(provider.issuer);
    const verifier = start({ storage: { ...createMemoryStorage(), load: async () => text } });
    expect(await outcomeOf(verifier.verify(await signToken(key, claims()))), text).toBe('good');
    expect(await outcomeOf(verifier.verify(await signToken(otherKey, claims()))), text).toBe('invalid_token');
    expect(provider.requests.keys).toBe(1);
  }
  const { provider, start, claims } = await startProviderAndVerifier([key]);
  const verifier = start({ storage: { ...createMemoryStorage(), load: async () => storedText(provider.issuer) } });
  expect(await outcomeOf(verifier.verify(await signToken(otherKey, claims())))).toBe('good');
});

test('a storage failure is logged, and does not prevent verification', async () => {
  const failOnFullDisk = () => Promise.reject(new Error('the disk is full'));
  const { verifier, claims, warnings } = await startProviderAndVerifier([key], {
    storage: { load: failOnFullDisk, save: failOnFullDisk },
  });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  await expect
    .poll(() => warnings.map(({ message }) => message))
    .toEqual([
      'The stored keys of the identity provider could not be read',
      'The keys of the identity provider could not be stored; they will be fetched again after a restart',
    ]);
});

test('storage that hangs while saving does not prevent verification or closing', async () => {
  const neverSettles = new Promise<void>(() => undefined);
  const { verifier, claims } = await startProviderAndVerifier([key], {
    storage: { load: async () => null, save: () => neverSettles },
  });
  expect(await outcomeOf(verifier.verify(await signToken(key, claims())))).toBe('good');
  await verifier.close();
});
