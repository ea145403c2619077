import { createHmac, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSigningKey, signToken } from '../test/loopback-provider.ts';
import { base64url, outcomeOf, startProviderAndVerifier } from '../test/provider-and-verifier.ts';

const key = await makeSigningKey('one');
const otherKey = await makeSigningKey('one');

const oddHeaders: Record<string, unknown> = {
  'typ 1': { alg: 'RS256', kid: 'one', typ: 1 },
  'typ null': { alg: 'RS256', kid: 'one', typ: null },
  'typ at+jwt': { alg: 'RS256', kid: 'one', typ: 'at+jwt' },
  'typ logout+jwt': { alg: 'RS256', kid: 'one', typ: 'logout+jwt' },
  'alg none': { alg: 'none', kid: 'one' },
  'alg 7': { alg: 7, kid: 'one' },
  'no alg': { kid: 'one' },
  'alg in lower case': { alg: 'rs256', kid: 'one' },
  'alg RS512': { alg: 'RS512', kid: 'one' },
  'alg that every object inherits': { alg: 'constructor', kid: 'one' },
  'kid {}': { alg: 'RS256', kid: {} },
  'kid 1': { alg: 'RS256', kid: 1 },
  'kid null': { alg: 'RS256', kid: null },
  'kid of 129 characters': { alg: 'RS256', kid: 'x'.repeat(129) },
  'kid that every object inherits': { alg: 'RS256', kid: '__proto__' },
  'kid that is a path': { alg: 'RS256', kid: '../../dev/null\0' },
  jku: { alg: 'RS256', kid: 'one', jku: 'http://127.0.0.1:1/' },
  x5u: { alg: 'RS256', kid: 'one', x5u: 'http://127.0.0.1:1/' },
  x5c: { alg: 'RS256', kid: 'one', x5c: ['a'] },
  jwk: { alg: 'RS256', jwk: otherKey.jwk },
  crit: { alg: 'RS256', kid: 'one', crit: ['b64'], b64: true },
  b64: { alg: 'RS256', kid: 'one', b64: false },
  zip: { alg: 'RS256', kid: 'one', zip: 'DEF' },
  'an array': ['RS256'],
  null: null,
};

test.each(Object.entries(oddHeaders))('a header with %s makes any token invalid', async (_, header) => {
  const { verifier, claims } = await startProviderAndVerifier([key]);
  for (const signature of ['AAAA', 'A', '', 'AA=A', '!!']) {
    const token = `${base64url(header)}.${base64url(claims())}.${signature}`;
    expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
  }
});

test.each([{ typ: 'at+jwt' }, { typ: '' }, { jku: 'https://id.example.com/' }, { jwk: otherKey.jwk }, { zip: 'DEF' }])(
  'the header %j makes a token invalid, even if the issuer signed it',
  async (header) => {
    const { verifier, claims } = await startProviderAndVerifier([key]);
    expect(await outcomeOf(verifier.verify(await signToken(key, claims(), header)))).toBe('invalid_token');
  },
);

test.each([{ typ: 'JWT' }, { typ: 'jwt' }, { typ: undefined }, { kid: undefined }])(
  'the header %j is accepted',
  async (header) => {
    const { verifier, claims } = await startProviderAndVerifier([key]);
    expect(await outcomeOf(verifier.verify(await signToken(key, claims(), header)))).toBe('good');
  },
);

test('a public key cannot be used as a shared secret', async () => {
  const { verifier, claims } = await startProviderAndVerifier([key]);
  const pem = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  for (const secret of [pem, JSON.stringify(key.jwk), key.jwk.n ?? '']) {
    const signingInput = `${base64url({ alg: 'HS256', kid: 'one' })}.${base64url(claims())}`;
    const token = `${signingInput}.${createHmac('sha256', secret).update(signingInput).digest('base64url')}`;
    expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
  }
});

test('a key verifies only the algorithm that it is published for', async () => {
  const { verifier, provider, claims } = await startProviderAndVerifier([key]);
  const token = await signToken(key, claims());
  const [, payload, signature] = token.split('.');
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  const pssToken = `${base64url({ alg: 'PS256', kid: 'one' })}.${payload}.${signature}`;
  expect(await outcomeOf(verifier.verify(pssToken))).toBe('invalid_token');
  expect(provider.requests.keys).toBe(1);
});

test('a valid token has one encoding: no part can be dropped, replaced or added, and no character can be changed', async () => {
  const { verifier, claims } = await startProviderAndVerifier([key]);
  const token = await signToken(key, claims());
  const [header, payload, signature] = token.split('.');
  expect(await outcomeOf(verifier.verify(token))).toBe('good');
  const changedTokens = [...token].map((character, index) =>
    [token.slice(0, index), character === 'A' ? 'B' : 'A', token.slice(index + 1)].join(''),
  );
  const tokensWithUnusedBits = ['B', 'R', 'h', 'x', '='].map((lastCharacter) => token.slice(0, -1) + lastCharacter);
  for (const invalidToken of [
    `${base64url({ alg: 'none' })}.${payload}.`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${base64url(claims({ sub: 'bob' }))}.${signature}`,
    `${token}.x`,
    `${token}.x.y`,
    `${token}=`,
    ...changedTokens,
    ...tokensWithUnusedBits,
  ]) {
    expect(await outcomeOf(verifier.verify(invalidToken)), invalidToken).toBe('invalid_token');
  }
  expect(await outcomeOf(verifier.verify(await signToken(otherKey, claims())))).toBe('invalid_token');
});

test('arbitrary text results in invalid_token and no other error', async () => {
  const { verifier } = await startProviderAndVerifier([key]);
  const text = fc.string({ unit: 'binary' });
  const part = fc.oneof(
    text,
    fc.jsonValue().map(base64url),
    fc.record({ alg: fc.constant('RS256'), kid: fc.constant('one'), typ: fc.jsonValue() }).map(base64url),
    fc.base64String(),
  );
  const parts = fc.array(part, { minLength: 2, maxLength: 4 }).map((segments) => segments.join('.'));
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, parts), async (token) => {
      expect(await outcomeOf(verifier.verify(token))).toBe('invalid_token');
    }),
    { numRuns: 2_000 },
  );
});

test('claims that are not an object or not UTF-8 are invalid, even if the issuer signed them', async () => {
  const { verifier, claims } = await startProviderAndVerifier([key]);
  const { subtle } = globalThis.crypto;
  const sign = async (payload: Buffer): Promise<string> => {
    const text = `${base64url({ alg: 'RS256', kid: 'one' })}.${payload.toString('base64url')}`;
    const signature = await subtle.sign('RSASSA-PKCS1-v1_5', key.privateKey, Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString('base64url')}`;
  };
  const validClaims = JSON.stringify(claims());
  expect(await outcomeOf(verifier.verify(await sign(Buffer.from(validClaims))))).toBe('good');
  const latin1Claims = Buffer.from(JSON.stringify(claims({ sub: 'é' })), 'latin1');
  for (const payload of ['null', '[]', '7', '"alice"', `[${validClaims}]`, `${validClaims}x`, `\ufeff${validClaims}`]) {
    expect(await outcomeOf(verifier.verify(await sign(Buffer.from(payload)))), payload).toBe('invalid_token');
  }
  expect(await outcomeOf(verifier.verify(await sign(latin1Claims)))).toBe('invalid_token');
});

test.each([
  ['an event, such as a logout', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }],
  ['a sign-in in the future', { auth_time: Date.UTC(2026, 0, 1) / 1_000 + 61 }],
  ['a sign-in at an unreadable time', { auth_time: 'yesterday' }],
])('a token that reports %s is invalid', async (_, changes) => {
  const { verifier, claims } = await startProviderAndVerifier([key]);
  expect(await outcomeOf(verifier.verify(await signToken(key, claims(changes))))).toBe('invalid_token');
});
