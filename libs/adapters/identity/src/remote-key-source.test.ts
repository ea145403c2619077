import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken, type Responder } from '../test/loopback-provider.ts';
import { outcomeOf, providerAndVerifier } from '../test/provider-and-verifier.ts';
import { freshMs, blockingRefreshAges, blockingRefreshMs, unknownKeyIntervalMs } from './remote-key-source.ts';

const [first, second] = await Promise.all([makeSigningKey('first'), makeSigningKey('second')]);
const stranger = await makeSigningKey('second');

test('the first twenty tokens, sent simultaneously, cause one fetch', async () => {
  const { provider, verifier, claims } = await providerAndVerifier([first]);
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => signToken(first, claims({ sub: `${at}` }))));
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['good']));
  expect(provider.requests).toEqual({ discovery: 1, keys: 1 });
});

test('a storm of tokens with unknown key ids causes one fetch per 30 seconds', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  await verifier.verify(await signToken(first, claims()));
  const tokens = await Promise.all(
    Array.from({ length: 50 }, (_, at) => signToken(stranger, claims(), { kid: `unknown-${at}` })),
  );
  const storm = async () => {
    const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
    expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
    return provider.requests.keys;
  };
  expect(await storm()).toBe(1);
  clock.advance(unknownKeyIntervalMs - 1);
  expect(await storm()).toBe(1);
  clock.advance(1);
  expect(await storm()).toBe(2);
  expect(await storm()).toBe(2);
  clock.advance(unknownKeyIntervalMs);
  expect(await storm()).toBe(3);
});

test('a storm of unknown key ids does not delay good tokens', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first], { timeoutMs: 60_000 });
  const [seen, fresh] = [await signToken(first, claims()), await signToken(first, claims({ sub: 'bob' }))];
  await verifier.verify(seen);
  const requestArrived = new Promise<void>((resolve) => provider.onKeysRequest(() => resolve()));
  clock.advance(unknownKeyIntervalMs);
  const strange = outcomeOf(verifier.verify(await signToken(stranger, claims(), { kid: 'unknown' })));
  await requestArrived;
  expect(await outcomeOf(verifier.verify(seen))).toBe('good');
  expect(await outcomeOf(verifier.verify(fresh))).toBe('good');
  await verifier.close();
  expect(await strange).toBe('invalid_token');
});

test('a new key is found 30 seconds after a fetch, and the old key is dropped with its cached tokens', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  const old = await signToken(first, claims());
  await verifier.verify(old);
  provider.publish(second.jwk);
  const fresh = await signToken(second, claims());
  expect(await outcomeOf(verifier.verify(fresh))).toBe('invalid_token');
  expect(await outcomeOf(verifier.verify(old))).toBe('good');
  clock.advance(unknownKeyIntervalMs);
  expect(await outcomeOf(verifier.verify(fresh))).toBe('good');
  expect(await outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('a set is refreshed in the background after 5 minutes, while the current one verifies tokens', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  const old = await signToken(first, claims());
  await verifier.verify(old);
  provider.publish(second.jwk);
  clock.advance(freshMs - 1);
  expect(await outcomeOf(verifier.verify(old))).toBe('good');
  expect(provider.requests.keys).toBe(1);
  clock.advance(1);
  expect(await outcomeOf(verifier.verify(old))).toBe('good');
  await expect.poll(() => outcomeOf(verifier.verify(old))).toBe('invalid_token');
  expect(provider.requests.keys).toBe(2);
});

test('keys with a maximum age of 30 s are refreshed in the background, or before use if idle for 6 min', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first], { keysMaxAgeMs: 30_000 });
  const old = await signToken(first, claims());
  await verifier.verify(old);
  clock.advance(29_999);
  await verifier.verify(old);
  expect(provider.requests.keys).toBe(1);
  clock.advance(1);
  await verifier.verify(old);
  await expect.poll(() => provider.requests.keys).toBe(2);
  provider.publish(second.jwk);
  clock.advance(blockingRefreshAges * 30_000 - 1);
  expect(await outcomeOf(verifier.verify(old))).toBe('good');
  await expect.poll(() => outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('after twelve times the maximum age of the keys, the old keys verify no token', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first], { keysMaxAgeMs: 30_000 });
  const old = await signToken(first, claims());
  await verifier.verify(old);
  provider.publish(second.jwk);
  clock.advance(blockingRefreshAges * 30_000);
  expect(await outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('after an hour without use the set is refreshed before it verifies a token', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  const old = await signToken(first, claims({ exp: Math.floor(clock.now() / 1_000) + 86_400 }));
  await verifier.verify(old);
  provider.publish(second.jwk);
  clock.advance(blockingRefreshMs);
  expect(await outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('in a stream of tokens, none stays cached after a new set dropped its key', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  await verifier.verify(await signToken(first, claims()));
  const tokens = await Promise.all(Array.from({ length: 400 }, (_, at) => signToken(first, claims({ sub: `${at}` }))));
  provider.publish(second.jwk);
  clock.advance(freshMs);
  const stream: Promise<string>[] = [];
  for (const [at, token] of tokens.entries()) {
    stream.push(outcomeOf(verifier.verify(token)));
    if (at % 5 === 0) await yieldToEventLoop();
  }
  await Promise.all(stream);
  const fresh = await signToken(second, claims());
  await expect.poll(() => outcomeOf(verifier.verify(fresh))).toBe('good');
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
});

const broken: Record<string, Responder> = {
  'status 500': (response) => response.writeHead(500).end(),
  'a page in HTML': (response) => response.end('<html>'),
  null: (response) => response.end('null'),
  'keys that are not an array': (response) => response.end('{"keys":{}}'),
  'no keys': (response) => response.end('{"keys":[]}'),
  'keys that are not objects': (response) => response.end('{"keys":[null,1,"x",[]]}'),
  '10 MB': (response) => response.end(`{"keys":[${' '.repeat(10_000_000)}]}`),
  'two keys with one id': (response) => response.end(JSON.stringify({ keys: [second.jwk, stranger.jwk] })),
  'a redirection': (response) => response.writeHead(302, { location: '/other' }).end(),
  'a broken connection': (response) => response.socket?.destroy(),
  'only a key for key agreement': (response) =>
    response.end('{"keys":[{"kty":"OKP","crv":"X25519","x":"AAAA","kid":"first"}]}'),
  'only a shared secret': (response) => response.end('{"keys":[{"kty":"oct","k":"AAAA","kid":"first"}]}'),
};

test.each(Object.entries(broken))('a provider that responds with %s changes no key', async (_name, answer) => {
  const { provider, verifier, claims, clock, warnings } = await providerAndVerifier([first]);
  const token = await signToken(first, claims());
  await verifier.verify(token);
  provider.onKeysRequest(answer);
  clock.advance(freshMs);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]?.message).toBe(
    'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h',
  );
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  expect(await outcomeOf(verifier.verify(await signToken(first, claims({ sub: 'bob' }))))).toBe('good');
});

test('a broken key among good ones invalidates only its own tokens', async () => {
  const { provider, verifier, claims } = await providerAndVerifier([first]);
  const filler = Buffer.alloc(32, 'x').toString('base64url');
  provider.publish(
    { kty: 'EC', crv: 'P-256', x: filler, y: filler, kid: 'off', alg: 'ES256' },
    { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'short' },
    { kty: 'RSA', n: 'x'.repeat(400), kid: 'no-exponent' },
    first.jwk,
  );
  expect(await outcomeOf(verifier.verify(await signToken(first, claims())))).toBe('good');
  for (const [algorithm, kid] of [
    ['ES256', 'off'],
    ['EdDSA', 'short'],
    ['RS256', 'no-exponent'],
  ] as const) {
    const forger = await makeSigningKey(kid, algorithm);
    expect(await outcomeOf(verifier.verify(await signToken(forger, claims())))).toBe('invalid_token');
  }
});
