import { inspect } from 'node:util';
import { ManualClock, tokenVerifierContract } from '@portico/contracts';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { signToken, type SigningKey } from '../test/loopback-provider.ts';
import { outcomeOf } from '../test/provider-and-verifier.ts';
import { createLocalIssuer, localAudience, localIssuerName, makeLocalIssuerKey } from './local-issuer.ts';

const open = async (clock = new ManualClock()) => {
  const key = await makeLocalIssuerKey();
  return { key, clock, issuer: await createLocalIssuer({ key, clock }) };
};

describe('its verifier', async () => {
  const { key } = await open();

  /** Returns a signing key with this private key and the id of the published key. */
  const signer = async (text: string, published: readonly JWK[]): Promise<SigningKey> => {
    const [jwk = {}] = published;
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
    const { keys } = issuer.jwks();
    const [owner, forger] = [await signer(key, keys), await signer(await makeLocalIssuerKey(), keys)];
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
  const { issuer, key } = await open();
  const [jwk = {}] = issuer.jwks().keys;
  const privateKey = (await importJWK(JSON.parse(key) as JWK, 'ES256')) as CryptoKey;
  const signer = { kid: jwk.kid ?? '', algorithm: 'ES256', privateKey, jwk };
  const token = await issuer.mint({ uid: 'ada', ttlSeconds: 60 });
  expect(await outcomeOf(issuer.verifier.verify(token, 'identity or access'))).toBe('good');
  for (const aud of [localAudience, 'https://portico.example.com/mcp']) {
    const access = await signToken(signer, { ...decodeJwt(token), aud }, { typ: 'at+jwt' });
    expect(await outcomeOf(issuer.verifier.verify(access, 'identity or access'))).toBe('invalid_token');
  }
});

test('a token carries the claims it was minted with', async () => {
  const { issuer } = await open();
  const verify = async (claims: Parameters<typeof issuer.mint>[0]) => issuer.verifier.verify(await issuer.mint(claims));
  expect(await verify({ uid: 'ada', ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: null,
    emailVerified: false,
    groups: null,
  });
  expect(await verify({ uid: 'ada', email: 'Ada@Example.com', ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: 'Ada@Example.com',
    emailVerified: false,
    groups: null,
  });
  expect(await verify({ uid: 'ada', email: 'ada@example.com', emailVerified: true, ttlSeconds: 60 })).toEqual({
    issuer: localIssuerName,
    uid: 'ada',
    email: 'ada@example.com',
    emailVerified: true,
    groups: null,
  });
});

test('a token names the groups that it was minted with, in a claim of the configured name', async () => {
  const { key, clock, issuer } = await open();
  for (const groupsClaim of ['groups', 'https://example.com/groups', 'realm_access.roles']) {
    const configured = await createLocalIssuer({ key, clock, groupsClaim });
    const token = await configured.mint({ uid: 'ada', groups: ['b', 'a'], ttlSeconds: 60 });
    expect(decodeJwt(token)[groupsClaim]).toEqual(['b', 'a']);
    expect((await configured.verifier.verify(token)).groups?.names).toEqual(['a', 'b']);
    expect((await issuer.verifier.verify(token)).groups).toBeNull();
  }
  await expect(issuer.mint({ uid: 'ada', groups: ['a'], ttlSeconds: 60 })).rejects.toThrow('IDENTITY_GROUPS_CLAIM');
});

test('a token lives as long as requested, and a zero or negative lifetime makes an expired one', async () => {
  const { issuer, clock } = await open();
  const outcome = async (ttlSeconds: number) =>
    outcomeOf(issuer.verifier.verify(await issuer.mint({ uid: 'ada', ttlSeconds })));
  const year = await issuer.mint({ uid: 'ada', ttlSeconds: 31_536_000 });
  expect(await outcome(-59)).toBe('good');
  expect(await outcome(-60)).toBe('invalid_token');
  expect(await outcome(-86_400)).toBe('invalid_token');
  const { iat = 0, exp = 0 } = decodeJwt(await issuer.mint({ uid: 'ada', ttlSeconds: -3_600 }));
  expect(iat).toBeLessThanOrEqual(exp);
  clock.advance((31_536_000 + 60) * 1_000 - 1);
  expect(await outcomeOf(issuer.verifier.verify(year))).toBe('good');
  clock.advance(1);
  expect(await outcomeOf(issuer.verifier.verify(year))).toBe('invalid_token');
});

test('a token that its verifier would never accept is not minted', async () => {
  const { issuer } = await open();
  for (const uid of ['', 'a'.repeat(129), 'a\0', '\ud800']) {
    await expect(issuer.mint({ uid, ttlSeconds: 60 })).rejects.toThrow(RangeError);
  }
  for (const ttlSeconds of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(issuer.mint({ uid: 'ada', ttlSeconds })).rejects.toThrow(RangeError);
  }
});

test('issuers with the same key accept each other, issuers with different keys do not', async () => {
  const { key, clock, issuer } = await open();
  const token = await issuer.mint({ uid: 'ada', ttlSeconds: 60 });
  const [same, other] = [await createLocalIssuer({ key, clock }), (await open(clock)).issuer];
  expect(await outcomeOf(same.verifier.verify(token))).toBe('good');
  expect(await outcomeOf(other.verifier.verify(token))).toBe('invalid_token');
});

test('only the public half of the key is published', async () => {
  const { issuer, key } = await open();
  const { keys } = issuer.jwks();
  expect(keys.map((jwk) => Object.keys(jwk).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  expect(JSON.stringify(keys)).not.toContain((JSON.parse(key) as JWK).d);
});

test('the discovery document has the address of the keys at the origin that the caller uses', async () => {
  const { issuer } = await open();
  for (const baseUrl of ['http://localhost:3000', 'http://localhost:3000/']) {
    expect(issuer.discovery(baseUrl)).toMatchObject({
      issuer: localIssuerName,
      jwks_uri: 'http://localhost:3000/.well-known/jwks.json',
    });
  }
});

test('a text that is not a local issuer key is rejected, and not quoted in the error', async () => {
  const { privateKey } = await generateKeyPair('ES384', { extractable: true });
  const { x, ...withoutX } = JSON.parse(await makeLocalIssuerKey()) as JWK;
  const mixed = { ...(JSON.parse(await makeLocalIssuerKey()) as JWK), x };
  const wrong = ['', 'null', '[]', '{}', '{"d":"private', ...[await exportJWK(privateKey), withoutX, mixed].map(print)];
  for (const key of wrong) {
    const failure: unknown = await createLocalIssuer({ key, clock: new ManualClock() }).catch(
      (error: unknown) => error,
    );
    expect(failure, key).toEqual(new Error('This is not a local issuer key (a private JWK on P-256)'));
    expect(inspect(failure, { depth: 10 })).not.toContain('"d"');
  }
});

const print = (jwk: JWK): string => JSON.stringify(jwk);
