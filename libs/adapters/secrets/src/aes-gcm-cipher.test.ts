import { cipherContract } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createAesGcmCipher, keyIdOf, sealingKeyIdOf } from './aes-gcm-cipher.ts';

const [oldKey, currentKey, otherKey] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

for (const [sentence, check] of Object.entries(cipherContract)) {
  test(sentence, () => check(createAesGcmCipher({ current: currentKey, previous: [] })));
}

test('texts sealed with a previous key can be opened, but the key no longer seals texts', () => {
  const sealedText = createAesGcmCipher({ current: oldKey, previous: [] }).seal('s3cret', 'here');
  const cipher = createAesGcmCipher({ current: currentKey, previous: [oldKey] });
  expect(cipher.open(sealedText, 'here')).toBe('s3cret');
  expect(cipher.isCurrent(sealedText)).toBe(false);
  expect(cipher.isCurrent(cipher.seal('s3cret', 'here'))).toBe(true);
});

test('an unknown key is reported by its id, without the text', () => {
  const sealedText = createAesGcmCipher({ current: otherKey, previous: [] }).seal('s3cret', 'here');
  const open = () => createAesGcmCipher({ current: currentKey, previous: [oldKey] }).open(sealedText, 'here');
  expect(open).toThrow(/SECRETS_KEY_PREVIOUS/);
  expect(open).not.toThrow(/s3cret/);
});

test('a sealed text reveals the id of its key, and any other text reveals none', () => {
  const sealedText = createAesGcmCipher({ current: otherKey, previous: [] }).seal('s3cret', 'here');
  expect(sealingKeyIdOf(sealedText)).toBe(keyIdOf(otherKey));
  for (const text of ['', 's3cret', 'v2.aaaaaaaa.AAAA.AAAA', 'v1.not an id.AAAA'])
    expect(sealingKeyIdOf(text)).toBeNull();
});

test('a sealed text cannot be opened if any bit is changed', () => {
  const cipher = createAesGcmCipher({ current: currentKey, previous: [] });
  const sealedText = cipher.seal('s3cret', 'here');
  const [version, keyId, nonce, encryptedPart] = sealedText.split('.') as [string, string, string, string];
  for (const [index, part] of [nonce, encryptedPart].entries()) {
    const bytes = Buffer.from(part, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changedBytes = Buffer.from(bytes);
      changedBytes.writeUInt8(changedBytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const parts = [nonce, encryptedPart];
      parts[index] = changedBytes.toString('base64url');
      expect(() => cipher.open([version, keyId, ...parts].join('.'), 'here')).toThrow();
    }
  }
});

test('a nonce of a different length is rejected, even if the characters are the same', () => {
  const cipher = createAesGcmCipher({ current: currentKey, previous: [] });
  const [version, keyId, nonce, encryptedPart] = cipher.seal('s3cret', 'here').split('.') as [
    string,
    string,
    string,
    string,
  ];
  const characters = nonce + encryptedPart;
  for (const length of [nonce.length - 4, nonce.length - 1, nonce.length + 1, nonce.length + 4]) {
    const shiftedText = [version, keyId, characters.slice(0, length), characters.slice(length)].join('.');
    expect(() => cipher.open(shiftedText, 'here')).toThrow(/form/);
  }
});

test('a text that is not sealed, and a key of the wrong length, are rejected', () => {
  const cipher = createAesGcmCipher({ current: currentKey, previous: [] });
  for (const text of ['', 'v1', 'v2.a.b.c', 'v1.aaaaaaaa.AAAA.AAAA', `${cipher.seal('x', 'here')}.x`]) {
    expect(() => cipher.open(text, 'here')).toThrow(/form|configured/);
  }
  expect(() => createAesGcmCipher({ current: new Uint8Array(31), previous: [] })).toThrow(RangeError);
});
