import { cipherContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createAesGcmCipher, keyIdOf, sealingKeyId } from './aes-gcm-cipher.ts';

const [old, current, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

for (const [sentence, check] of Object.entries(cipherContract)) {
  test(sentence, () => check(createAesGcmCipher({ current, previous: [] })));
}

test('a previous key opens texts that it sealed, but no longer seals', () => {
  const sealed = createAesGcmCipher({ current: old, previous: [] }).seal('s3cret', 'here');
  const cipher = createAesGcmCipher({ current, previous: [old] });
  expect(cipher.open(sealed, 'here')).toBe('s3cret');
  expect(cipher.isCurrent(sealed)).toBe(false);
  expect(cipher.isCurrent(cipher.seal('s3cret', 'here'))).toBe(true);
});

test('an unknown key is reported by its id, without the text', () => {
  const sealed = createAesGcmCipher({ current: other, previous: [] }).seal('s3cret', 'here');
  const open = () => createAesGcmCipher({ current, previous: [old] }).open(sealed, 'here');
  expect(open).toThrow(/SECRETS_KEY_PREVIOUS/);
  expect(open).not.toThrow(/s3cret/);
});

test('a sealed text reveals the id of its key, and any other text reveals none', () => {
  const sealed = createAesGcmCipher({ current: other, previous: [] }).seal('s3cret', 'here');
  expect(sealingKeyId(sealed)).toBe(keyIdOf(other));
  for (const text of ['', 's3cret', 'v2.aaaaaaaa.AAAA.AAAA', 'v1.not an id.AAAA'])
    expect(sealingKeyId(text)).toBeNull();
});

test('every single bit of a sealed text counts', () => {
  const cipher = createAesGcmCipher({ current, previous: [] });
  const sealed = cipher.seal('s3cret', 'here');
  const [version, keyId, nonce, rest] = sealed.split('.') as [string, string, string, string];
  for (const [index, part] of [nonce, rest].entries()) {
    const bytes = Buffer.from(part, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const parts = [nonce, rest];
      parts[index] = changed.toString('base64url');
      expect(() => cipher.open([version, keyId, ...parts].join('.'), 'here')).toThrow();
    }
  }
});

test('a nonce of another length is rejected, even if the characters are the same', () => {
  const cipher = createAesGcmCipher({ current, previous: [] });
  const [version, keyId, nonce, rest] = cipher.seal('s3cret', 'here').split('.') as [string, string, string, string];
  const characters = nonce + rest;
  for (const length of [nonce.length - 4, nonce.length - 1, nonce.length + 1, nonce.length + 4]) {
    const shifted = [version, keyId, characters.slice(0, length), characters.slice(length)].join('.');
    expect(() => cipher.open(shifted, 'here')).toThrow(/form/);
  }
});

test('a text that is not sealed, and a key of another length, are rejected', () => {
  const cipher = createAesGcmCipher({ current, previous: [] });
  for (const text of ['', 'v1', 'v2.a.b.c', 'v1.aaaaaaaa.AAAA.AAAA', `${cipher.seal('x', 'here')}.x`]) {
    expect(() => cipher.open(text, 'here')).toThrow(/form|configured/);
  }
  expect(() => createAesGcmCipher({ current: new Uint8Array(31), previous: [] })).toThrow(RangeError);
});
