import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeSigningKey } from '../test/loopback-provider.ts';
import { readKeySet } from './key-set.ts';

const [rsa, otherRsa, elliptic, edwards] = await Promise.all([
  makeSigningKey('rsa'),
  makeSigningKey('other'),
  makeSigningKey('elliptic', 'ES256'),
  makeSigningKey('edwards', 'EdDSA'),
]);

const read = (...keys: readonly unknown[]) => readKeySet(JSON.stringify({ keys }));

test('a key is found by its id and its algorithm', async () => {
  const set = await read(rsa.jwk, otherRsa.jwk, elliptic.jwk, edwards.jwk);
  expect(set.find({ algorithm: 'RS256', keyId: 'rsa' })).not.toBeNull();
  expect(set.find({ algorithm: 'ES256', keyId: 'elliptic' })).not.toBeNull();
  expect(set.find({ algorithm: 'EdDSA', keyId: 'edwards' })).not.toBeNull();
  expect(set.find({ algorithm: 'PS256', keyId: 'rsa' })).toBeNull();
  expect(set.find({ algorithm: 'RS256', keyId: 'elliptic' })).toBeNull();
  expect(set.find({ algorithm: 'RS256', keyId: 'unknown' })).toBeNull();
});

test('a token without a key id matches a key only if there is exactly one for its algorithm', async () => {
  const set = await read(rsa.jwk, otherRsa.jwk, elliptic.jwk);
  expect(set.find({ algorithm: 'ES256', keyId: null })).toBe(set.find({ algorithm: 'ES256', keyId: 'elliptic' }));
  expect(set.find({ algorithm: 'RS256', keyId: null })).toBeNull();
});

test('an RSA key without an algorithm is used for both RSA algorithms', async () => {
  const set = await read({ ...rsa.jwk, alg: undefined });
  for (const algorithm of ['RS256', 'PS256'] as const) {
    expect(set.find({ algorithm, keyId: 'rsa' })?.algorithm).toMatchObject({
      name: algorithm === 'RS256' ? 'RSASSA-PKCS1-v1_5' : 'RSA-PSS',
    });
  }
});

test('the private half of a key published by mistake is not imported', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const set = await read({ ...privateKey.export({ format: 'jwk' }), kid: 'leaked' });
  expect(set.find({ algorithm: 'ES256', keyId: 'leaked' })).toMatchObject({ type: 'public', usages: ['verify'] });
});

const rsaOf = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
const filler = (bytes: number) => Buffer.alloc(bytes, 'x').toString('base64url');

const unusableKeys: Record<string, unknown> = {
  'an RSA key of 2047 bits': rsaOf(2_047),
  'an RSA key of 1024 bits behind zeros': { ...rsaOf(1_024), n: `${'A'.repeat(400)}${rsaOf(1_024).n}` },
  'an RSA key without a modulus': { kty: 'RSA', e: 'AQAB' },
  'an RSA key without an exponent': { kty: 'RSA', n: filler(300) },
  'an RSA key of 20,000 bits': { kty: 'RSA', n: filler(2_500), e: 'AQAB' },
  'a point that is not on the curve': { kty: 'EC', crv: 'P-256', x: filler(32), y: filler(32) },
  'another curve': { kty: 'EC', crv: 'P-384', x: filler(48), y: filler(48) },
  'a short Ed25519 key': { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' },
  'a key for key agreement': { kty: 'OKP', crv: 'X25519', x: filler(32) },
  'a shared secret': { kty: 'oct', k: filler(32) },
  'a key for encryption': { ...rsa.jwk, use: 'enc' },
  'a key for a different operation': { ...rsa.jwk, key_ops: ['wrapKey'] },
  'a key for an algorithm that is not allowed': { ...rsa.jwk, alg: 'RS1' },
  'a key for an algorithm of a different kind': { ...elliptic.jwk, alg: 'RS256' },
  'a number': 7,
  null: null,
  'an array': [rsa.jwk],
};

describe.each(Object.entries(unusableKeys))('%s', (_name, key) => {
  test('is skipped, and the other keys are used', async () => {
    const jwk = typeof key === 'object' && key !== null && !Array.isArray(key) ? { ...key, kid: 'odd' } : key;
    const set = await read(jwk, otherRsa.jwk);
    for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const) {
      expect(set.find({ algorithm, keyId: 'odd' })).toBeNull();
    }
    expect(set.find({ algorithm: 'RS256', keyId: 'other' })).not.toBeNull();
    expect(set.generation).toBe((await read(otherRsa.jwk)).generation);
  });

  test('is not a key set on its own', async () => {
    await expect(read(key)).rejects.toThrow('no usable key');
  });
});

test.each(['', 'null', '[]', '7', '{}', '{"keys":{}}', '{"keys":null}', '{"keys":[]}', '<html>'])(
  'the text %j is not a key set',
  async (text) => {
    await expect(readKeySet(text)).rejects.toThrow();
  },
);

test('a set with more than 50 keys, or with two keys with the same id, is rejected', async () => {
  await expect(read(...Array.from({ length: 51 }, () => elliptic.jwk))).rejects.toThrow('more than 50');
  await expect(read(rsa.jwk, { ...otherRsa.jwk, kid: 'rsa' })).rejects.toThrow('two keys with the id "rsa"');
});

test('sets of the same keys have the same generation, regardless of their order and other members', async () => {
  const { generation } = await read(rsa.jwk, elliptic.jwk);
  expect((await read(elliptic.jwk, { ...rsa.jwk, x5t: 'abc', key_ops: ['verify'] })).generation).toBe(generation);
  expect((await read(rsa.jwk)).generation).not.toBe(generation);
  expect((await read({ ...otherRsa.jwk, kid: 'rsa' }, elliptic.jwk)).generation).not.toBe(generation);
  expect((await read({ ...rsa.jwk, kid: 'renamed' }, elliptic.jwk)).generation).not.toBe(generation);
});
