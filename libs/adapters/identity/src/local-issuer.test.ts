import { inspect } from 'node:util';
import { ManualClock, tokenVerifierContract } from '@portico/contracts';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { signToken, type SigningKey } from '../test/loopback-provider.ts';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { createLocalIssuer, localAudience, localIssuerName, makeLocalIssuerKey } from './local-issuer.ts';

const openIssuer = async (clock = new ManualClock()) => {
  const key = await makeLocalIssuerKey();
  return { key, clock, issuer: await createLocalIssuer({ key, clock }) };
};

describe('its verifier', async () => {
  const { key } = await openIssuer();

  /** Returns a signing key with this private key and the id of the published key. */
  const createSigner = async (text: string, publishedKeys: readonly JWK[]): Promise<SigningKey> => {
    const [jwk = {}] = publishedKeys;
    return {
      kid: jwk.kid ?? '',
      algorithm: 'ES256',
      privateKey: (await importJWK(JSON.parse(text) as JWK, 'ES256')) as CryptoKey,
      jwk,
    };
  };

  test.each(Object.entries(tokenVerifierContract))('%s', async (_sentence, check) => {
    const clock = new ManualClock();
    const issuer = await createLocalIssuer({ key, clock });
    const { keys } = issuer.getKeySet();
    const [owner, forger] = [await createSigner(key, keys), await createSigner(await makeLocalIssuerKey(), keys)];
    await check({
      verifier: issuer.verifier,
      issuer: localIssuerName,
      audience: localAudience,
      clock,
      mint: (claims) => signToken(owner, claims),
      forge: (claims) => signToken(forger, claims),
    });
  });
});

test('no access token is valid, for any audience', async () => {
  const { issuer, key } = await openIssuer();
  const [jwk = {}] = issuer.getKeySet().keys;
  const privateKey = (await importJWK(JSON.parse(key) as JWK, 'ES256')) as CryptoKey;
  const signer = { kid: jwk.kid ?? '', algorithm: 'ES256', privateKey, jwk };
  const token = await issuer.mint({ uid: 'ada', ttlSeconds: 60 });
  expect(await outcomeOf(issuer.verifier.verify(token, 'identity or access'))).toBe('good');
  for (const aud of [localAudience, 'https://portico.example.com/mcp']) {
    const accessToken = await signToken(signer, { ...decodeJwt(token), aud }, { typ: 'at+jwt' });
    expect(await outcomeOf(issuer.verifier.verify(accessToken, 'identity or access'))).toBe('invalid_token');
  }
});

test('a token carries the claims it was minted with', async () => {
  const { issuer } = await openIssuer();
  const verify = async (claims: Parameters<typeof issuer.mint>[0]) => issuer.verifier.verify(await issuer.mint(claims));
  expect(await verify({ uid: 'ada', ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: null,
    emailVerified: false,
    isAccessToken: false,
    groups: null,
  });
  expect(await verify({ uid: 'ada', email: 'Ada@Example.com', ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: 'Ada@Example.com',
    emailVerified: false,
    isAccessToken: false,
    groups: null,
  });
  expect(await verify({ uid: 'ada', email: 'ada@example.com', emailVerified: true, ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: 'ada@example.com',
    emailVerified: true,
    isAccessToken: false,
    groups: null,
  });
});

test('a token names the groups that it was minted with, in a claim of the configured name', async () => {
  const { key, clock, issuer } = await openIssuer();
  for (const groupsClaim of ['groups', 'https://example.com/groups', 'realm_access.roles']) {
    const configuredIssuer = await createLocalIssuer({ key, clock, groupsClaim });
    const token = await configuredIssuer.mint({ uid: 'ada', groups: ['b', 'a'], ttlSeconds: 60 });
    expect(decodeJwt(token)[groupsClaim]).toEqual(['b', 'a']);
    expect((await configuredIssuer.verifier.verify(token)).groups?.names).toEqual(['a', 'b']);
    expect((await issuer.verifier.verify(token)).groups).toBeNull();
  }
  await expect(issuer.mint({ uid: 'ada', groups: ['a'], ttlSeconds: 60 })).rejects.toThrow('IDENTITY_GROUPS_CLAIM');
});

test('a token is valid as long as requested, and with a zero or negative lifetime it has already expired', async () => {
  const { issuer, clock } = await openIssuer();
  const outcomeWithTtl = async (ttlSeconds: number) =>
    outcomeOf(issuer.verifier.verify(await issuer.mint({ uid: 'ada', ttlSeconds })));
  const yearLongToken = await issuer.mint({ uid: 'ada', ttlSeconds: 31_536_000 });
  expect(await outcomeWithTtl(-59)).toBe('good');
  expect(await outcomeWithTtl(-60)).toBe('invalid_token');
  expect(await outcomeWithTtl(-86_400)).toBe('invalid_token');
  const { iat = 0, exp = 0 } = decodeJwt(await issuer.mint({ uid: 'ada', ttlSeconds: -3_600 }));
  expect(iat).toBeLessThanOrEqual(exp);
  clock.advance((31_536_000 + 60) * 1_000 - 1);
  expect(await outcomeOf(issuer.verifier.verify(yearLongToken))).toBe('good');
  clock.advance(1);
  expect(await outcomeOf(issuer.verifier.verify(yearLongToken))).toBe('invalid_token');
});

test('a token that its verifier would never accept is not minted', async () => {
  const { issuer } = await openIssuer();
  for (const uid of ['', 'a'.repeat(129), 'a\0', '\ud800']) {
    await expect(issuer.mint({ uid, ttlSeconds: 60 })).rejects.toThrow(RangeError);
  }
  for (const ttlSeconds of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(issuer.mint({ uid: 'ada', ttlSeconds })).rejects.toThrow(RangeError);
  }
});

test("issuers with the same key accept each other's tokens, issuers with different keys do not", async () => {
  const { key, clock, issuer } = await openIssuer();
  const token = await issuer.mint({ uid: 'ada', ttlSeconds: 60 });
  const [issuerWithSameKey, issuerWithOtherKey] = [
    await createLocalIssuer({ key, clock }),
    (await openIssuer(clock)).issuer,
  ];
  expect(await outcomeOf(issuerWithSameKey.verifier.verify(token))).toBe('good');
  expect(await outcomeOf(issuerWithOtherKey.verifier.verify(token))).toBe('invalid_token');
});

test('only the public half of the key is published', async () => {
  const { issuer, key } = await openIssuer();
  const { keys } = issuer.getKeySet();
  expect(keys.map((jwk) => Object.keys(jwk).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  expect(JSON.stringify(keys)).not.toContain((JSON.parse(key) as JWK).d);
});

test('the discovery document has the URL of the keys at the origin that the caller uses', async () => {
  const { issuer } = await openIssuer();
  for (const baseUrl of ['http://localhost:3000', 'http://localhost:3000/']) {
    expect(issuer.createDiscoveryDocument(baseUrl)).toMatchObject({
      issuer: localIssuerName,
      jwks_uri: 'http://localhost:3000/.well-known/jwks.json',
    });
  }
});

test('text that is not a local issuer key is rejected, and not quoted in the error', async () => {
  const { privateKey } = await generateKeyPair('ES384', { extractable: true });
  const { x, ...withoutX } = JSON.parse(await makeLocalIssuerKey()) as JWK;
  const mixedKey = { ...(JSON.parse(await makeLocalIssuerKey()) as JWK), x };
  const invalidKeys = [
    '',
    'null',
    '[]',
    '{}',
    '{"d":"private',
    ...[await exportJWK(privateKey), withoutX, mixedKey].map(print),
  ];
  for (const key of invalidKeys) {
    const failure: unknown = await createLocalIssuer({ key, clock: new ManualClock() }).catch(
      (error: unknown) => error,
    );
    expect(failure, key).toEqual(new Error('This is not a local issuer key (a private JWK on P-256)'));
    expect(inspect(failure, { depth: 10 })).not.toContain('"d"');
  }
});

const print = (jwk: JWK): string => JSON.stringify(jwk);
