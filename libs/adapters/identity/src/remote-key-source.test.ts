import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken, type Answer } from '../test/loopback-provider.ts';
import { outcomeOf, providerAndVerifier } from '../test/provider-and-verifier.ts';
import { freshMs, unattendedAges, unattendedMs, unknownKeyIntervalMs } from './remote-key-source.ts';

const [first, second] = await Promise.all([makeSigningKey('first'), makeSigningKey('second')]);
const stranger = await makeSigningKey('second');

test('twenty first tokens at once cause one fetch', async () => {
  const { provider, verifier, claims } = await providerAndVerifier([first]);
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => signToken(first, claims({ sub: `${at}` }))));
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['good']));
  expect(provider.requests).toEqual({ discovery: 1, keys: 1 });
});

test('a storm of tokens with unknown key ids causes one fetch in 30 seconds', async () => {
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

test('a storm of unknown key ids does not hold up good tokens', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first], { timeoutMs: 60_000 });
  const [seen, fresh] = [await signToken(first, claims()), await signToken(first, claims({ sub: 'bob' }))];
  await verifier.verify(seen);
  const asked = new Promise<void>((resolve) => provider.answerKeys(() => resolve()));
  clock.advance(unknownKeyIntervalMs);
  const strange = outcomeOf(verifier.verify(await signToken(stranger, claims(), { kid: 'unknown' })));
  await asked;
  expect(await outcomeOf(verifier.verify(seen))).toBe('good');
  expect(await outcomeOf(verifier.verify(fresh))).toBe('good');
  await verifier.close();
  expect(await strange).toBe('invalid_token');
});

test('a new key is found 30 seconds after the last fetch, and the dropped one is gone with its cached tokens', async () => {
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

test('a set is refreshed in the background after 5 minutes, while the current one judges tokens', async () => {
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

test('keys that may be 30 seconds old are fetched again then, and waited for after 6 minutes without use', async () => {
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
  clock.advance(unattendedAges * 30_000 - 1);
  expect(await outcomeOf(verifier.verify(old))).toBe('good');
  await expect.poll(() => outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('after twelve times the age that keys may have, no token is judged by the old ones', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first], { keysMaxAgeMs: 30_000 });
  const old = await signToken(first, claims());
  await verifier.verify(old);
  provider.publish(second.jwk);
  clock.advance(unattendedAges * 30_000);
  expect(await outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('after an hour without use the set is refreshed before it judges', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  const old = await signToken(first, claims({ exp: Math.floor(clock.now() / 1_000) + 86_400 }));
  await verifier.verify(old);
  provider.publish(second.jwk);
  clock.advance(unattendedMs);
  expect(await outcomeOf(verifier.verify(old))).toBe('invalid_token');
});

test('in a stream of tokens none stays cached beyond the set that dropped its key', async () => {
  const { provider, verifier, claims, clock } = await providerAndVerifier([first]);
  await verifier.verify(await signToken(first, claims()));
  const tokens = await Promise.all(Array.from({ length: 400 }, (_, at) => signToken(first, claims({ sub: `${at}` }))));
  provider.publish(second.jwk);
  clock.advance(freshMs);
  const stream: Promise<string>[] = [];
  for (const [at, token] of tokens.entries()) {
    stream.push(outcomeOf(verifier.verify(token)));
    if (at % 5 === 0) await turn();
  }
  await Promise.all(stream);
  const fresh = await signToken(second, claims());
  await expect.poll(() => outcomeOf(verifier.verify(fresh))).toBe('good');
  const outcomes = await Promise.all(tokens.map((token) => outcomeOf(verifier.verify(token))));
  expect(new Set(outcomes)).toEqual(new Set(['invalid_token']));
});

const broken: Record<string, Answer> = {
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
  'a key for key agreement alone': (response) =>
    response.end('{"keys":[{"kty":"OKP","crv":"X25519","x":"AAAA","kid":"first"}]}'),
  'a shared secret alone': (response) => response.end('{"keys":[{"kty":"oct","k":"AAAA","kid":"first"}]}'),
};

test.each(Object.entries(broken))('a provider that responds with %s changes no key', async (_name, answer) => {
  const { provider, verifier, claims, clock, warnings } = await providerAndVerifier([first]);
  const token = await signToken(first, claims());
  await verifier.verify(token);
  provider.answerKeys(answer);
  clock.advance(freshMs);
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  await expect.poll(() => warnings).toHaveLength(1);
  expect(warnings[0]?.message).toBe(
    'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h',
  );
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  expect(await outcomeOf(verifier.verify(await signToken(first, claims({ sub: 'bob' }))))).toBe('good');
});

test('a broken key beside good ones invalidates only its own tokens', async () => {
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
