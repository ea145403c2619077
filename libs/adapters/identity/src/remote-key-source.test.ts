import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken, type Responder } from '../test/loopback-provider.ts';
import { outcomeOf, startProviderAndVerifier } from '../test/provider-and-verifier.ts';
import { defaultMaxAgeMs, blockingRefreshAges, blockingRefreshMs, unknownKeyIntervalMs } from './remote-key-source.ts';

const [firstKey, secondKey] = await Promise.all([makeSigningKey('first'), makeSigningKey('second')]);
const unpublishedKey = await makeSigningKey('second');

test('the first twenty tokens, sent simultaneously, cause one fetch', async () => {
  const { provider, verifier, claims } = await startProviderAndVerifier([firstKey]);
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, index) => signToken(firstKey, claims({ sub: `${index}` }))),
  );
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['good']));
  expect(provider.requests).toEqual({ discovery: 1, keys: 1, userInfo: 0 });
});

test('a storm of tokens with unknown key ids causes one fetch per 30 seconds', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey]);
  await verifier.verify(await signToken(firstKey, claims()));
  const tokens = await Promise.all(
    Array.from({ length: 50 }, (_, index) => signToken(unpublishedKey, claims(), { kid: `unknown-${index}` })),
  );
  const sendTokens = async () => {
    const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
    expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
    return provider.requests.keys;
  };
  expect(await sendTokens()).toBe(1);
  clock.advance(unknownKeyIntervalMs - 1);
  expect(await sendTokens()).toBe(1);
  clock.advance(1);
  expect(await sendTokens()).toBe(2);
  expect(await sendTokens()).toBe(2);
  clock.advance(unknownKeyIntervalMs);
  expect(await sendTokens()).toBe(3);
});

test('a storm of unknown key ids does not delay good tokens', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey], { timeoutMs: 60_000 });
  const [cachedToken, newToken] = [
    await signToken(firstKey, claims()),
    await signToken(firstKey, claims({ sub: 'bob' })),
  ];
  await verifier.verify(cachedToken);
  const requestArrived = new Promise<void>((resolve) => provider.onKeysRequest(() => resolve()));
  clock.advance(unknownKeyIntervalMs);
  const unknownKeyOutcome = outcomeOf(verifier.verify(await signToken(unpublishedKey, claims(), { kid: 'unknown' })));
  await requestArrived;
  expect(await outcomeOf(verifier.verify(cachedToken))).toBe('good');
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
  await verifier.close();
  expect(await unknownKeyOutcome).toBe('invalid_token');
});

test('a new key is found 30 seconds after a fetch, and the old key is dropped with its cached tokens', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey]);
  const oldToken = await signToken(firstKey, claims());
  await verifier.verify(oldToken);
  provider.publish(secondKey.jwk);
  const newToken = await signToken(secondKey, claims());
  expect(await outcomeOf(verifier.verify(newToken))).toBe('invalid_token');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  clock.advance(unknownKeyIntervalMs);
  expect(await outcomeOf(verifier.verify(newToken))).toBe('good');
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
});

test('a set is refreshed in the background after 5 minutes, while the current one verifies tokens', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey]);
  const oldToken = await signToken(firstKey, claims());
  await verifier.verify(oldToken);
  provider.publish(secondKey.jwk);
  clock.advance(defaultMaxAgeMs - 1);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  expect(provider.requests.keys).toBe(1);
  clock.advance(1);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  await expect.poll(() => outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
  expect(provider.requests.keys).toBe(2);
});

test('keys with a maximum age of 30 s are refreshed in the background, or before use if idle for 6 min', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey], { keysMaxAgeMs: 30_000 });
  const oldToken = await signToken(firstKey, claims());
  await verifier.verify(oldToken);
  clock.advance(29_999);
  await verifier.verify(oldToken);
  expect(provider.requests.keys).toBe(1);
  clock.advance(1);
  await verifier.verify(oldToken);
  await expect.poll(() => provider.requests.keys).toBe(2);
  provider.publish(secondKey.jwk);
  clock.advance(blockingRefreshAges * 30_000 - 1);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('good');
  await expect.poll(() => outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
});

test('after twelve times the maximum age of the keys, the old keys verify no token', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey], { keysMaxAgeMs: 30_000 });
  const oldToken = await signToken(firstKey, claims());
  await verifier.verify(oldToken);
  provider.publish(secondKey.jwk);
  clock.advance(blockingRefreshAges * 30_000);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
});

test('after an hour without use the set is refreshed before it verifies a token', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey]);
  const oldToken = await signToken(firstKey, claims({ exp: Math.floor(clock.now() / 1_000) + 86_400 }));
  await verifier.verify(oldToken);
  provider.publish(secondKey.jwk);
  clock.advance(blockingRefreshMs);
  expect(await outcomeOf(verifier.verify(oldToken))).toBe('invalid_token');
});

test('in a stream of tokens, none remains cached after a new set drops its key', async () => {
  const { provider, verifier, claims, clock } = await startProviderAndVerifier([firstKey]);
  await verifier.verify(await signToken(firstKey, claims()));
  const tokens = await Promise.all(
    Array.from({ length: 400 }, (_, index) => signToken(firstKey, claims({ sub: `${index}` }))),
  );
  provider.publish(secondKey.jwk);
  clock.advance(defaultMaxAgeMs);
  const stream: Promise<string>[] = [];
  for (const [index, token] of tokens.entries()) {
    stream.push(outcomeOf(verifier.verify(token)));
    if (index % 5 === 0) await yieldToEventLoop();
  }
  await Promise.all(stream);
  const newToken = await signToken(secondKey, claims());
  await expect.poll(() => outcomeOf(verifier.verify(newToken))).toBe('good');
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
});

const brokenResponses: Record<string, Responder> = {
  'status 500': (response) => response.writeHead(500).end(),
  'an HTML page': (response) => response.end('<html>'),
  null: (response) => response.end('null'),
  'keys that are not an array': (response) => response.end('{"keys":{}}'),
  'no keys': (response) => response.end('{"keys":[]}'),
  'keys that are not objects': (response) => response.end('{"keys":[null,1,"x",[]]}'),
  '10 MB': (response) => response.end(`{"keys":[${' '.repeat(10_000_000)}]}`),
  'two keys with the same id': (response) =>
    response.end(JSON.stringify({ keys: [secondKey.jwk, unpublishedKey.jwk] })),
  'a redirection': (response) => response.writeHead(302, { location: '/other' }).end(),
  'a broken connection': (response) => response.socket?.destroy(),
  'only a key for key agreement': (response) =>
    response.end('{"keys":[{"kty":"OKP","crv":"X25519","x":"AAAA","kid":"first"}]}'),
  'only a shared secret': (response) => response.end('{"keys":[{"kty":"oct","k":"AAAA","kid":"first"}]}'),
};

test.each(Object.entries(brokenResponses))(
  'if a provider responds with %s, the keys do not change',
  async (_name, respond) => {
    const { provider, verifier, claims, clock, warnings } = await startProviderAndVerifier([firstKey]);
    const token = await signToken(firstKey, claims());
    await verifier.verify(token);
    provider.onKeysRequest(respond);
    clock.advance(defaultMaxAgeMs);
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]?.message).toBe(
      'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h',
    );
    expect(await outcomeOf(verifier.verify(token))).toBe('good');
    expect(await outcomeOf(verifier.verify(await signToken(firstKey, claims({ sub: 'bob' }))))).toBe('good');
  },
);

test('a broken key among good ones invalidates only its own tokens', async () => {
  const { provider, verifier, claims } = await startProviderAndVerifier([firstKey]);
  const filler = Buffer.alloc(32, 'x').toString('base64url');
  provider.publish(
    { kty: 'EC', crv: 'P-256', x: filler, y: filler, kid: 'off', alg: 'ES256' },
    { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'short' },
    { kty: 'RSA', n: 'x'.repeat(400), kid: 'no-exponent' },
    firstKey.jwk,
  );
  expect(await outcomeOf(verifier.verify(await signToken(firstKey, claims())))).toBe('good');
  for (const [algorithm, kid] of [
    ['ES256', 'off'],
    ['EdDSA', 'short'],
    ['RS256', 'no-exponent'],
  ] as const) {
    const forger = await makeSigningKey(kid, algorithm);
    expect(await outcomeOf(verifier.verify(await signToken(forger, claims())))).toBe('invalid_token');
  }
});
