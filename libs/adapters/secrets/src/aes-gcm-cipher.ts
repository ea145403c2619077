import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { Cipher } from '@portico/domain';

export interface AesGcmCipherOptions {
  /** The current key, 32 bytes. It seals and opens texts. */
  readonly current: Uint8Array;
  /** Previous keys, 32 bytes each. They open texts that were sealed before the key was changed. */
  readonly previous: readonly Uint8Array[];
}

/** Thrown if the text was sealed with a key that the cipher does not have. The error reveals nothing about the text. */
export class UnknownKeyError extends Error {
  /** The id of the key. */
  readonly keyId: string;

  constructor(keyId: string) {
    super(`Sealed with the key ${keyId}, which is not configured: add it to SECRETS_KEY_PREVIOUS`);
    this.name = 'UnknownKeyError';
    this.keyId = keyId;
  }
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const nonceCharacters = (nonceBytes * 8) / 6;
const tagBytes = 16;

/**
 * Creates a cipher that uses AES-256-GCM (NIST SP 800-38D) with a random nonce for each text: `v1.<key
 * id>.<nonce>.<ciphertext and tag>`, the last two encoded in base64url. The context is associated data: a text that was
 * sealed for one context cannot be opened in a different one. The cipher throws a RangeError if a text or context has a
 * lone surrogate (which UTF-8 cannot encode); this function does if a key does not have 32 bytes.
 */
export const createAesGcmCipher = ({ current, previous }: AesGcmCipherOptions): Cipher => {
  const keys = new Map([current, ...previous].reverse().map((bytes) => [keyIdOf(bytes), importKey(bytes)]));
  const currentId = keyIdOf(current);
  const currentKey = importKey(current);
  return {
    seal: (text, context) => {
      assertWellFormed(text);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, currentKey, nonce).setAAD(createAssociatedData(currentId, context));
      const sealedBytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [version, currentId, nonce.toString('base64url'), sealedBytes.toString('base64url')].join('.');
    },
    open: (sealedText, context) => {
      const { keyId, nonce, ciphertext, tag } = parse(sealedText);
      const key = keys.get(keyId);
      if (!key) throw new UnknownKeyError(keyId);
      const decipher = createDecipheriv(algorithm, key, nonce)
        .setAAD(createAssociatedData(keyId, context))
        .setAuthTag(tag);
      try {
        const text = decipher.update(ciphertext);
        // Verifies the tag. A stream cipher has no remaining output.
        decipher.final();
        return text.toString('utf8');
      } catch (error) {
        throw new Error('The sealed text cannot be opened: it was changed, or sealed for a different context', {
          cause: error,
        });
      }
    },
    isCurrent: (sealedText) => parse(sealedText).keyId === currentId,
  };
};

const createAssociatedData = (keyId: string, context: string): Buffer => {
  assertWellFormed(context);
  return Buffer.from(`${version}|${keyId}|${context}`, 'utf8');
};

/** The error does not contain the text, which is a secret. */
const assertWellFormed = (text: string): void => {
  if (!text.isWellFormed()) throw new RangeError('The text to seal or its context contains a lone surrogate');
};

const parse = (sealedText: string) => {
  const [prefix, keyId, nonce, encryptedPart, ...extraParts] = sealedText.split('.');
  if (prefix !== version || !keyId || !nonce || !encryptedPart || extraParts.length > 0) throw createFormatError();
  // A nonce of 16 characters is exactly 12 bytes, so the rest starts on a byte boundary.
  if (nonce.length !== nonceCharacters) throw createFormatError();
  const bytes = decode(nonce + encryptedPart);
  if (bytes.length < nonceBytes + tagBytes) throw createFormatError();
  return {
    keyId,
    nonce: bytes.subarray(0, nonceBytes),
    ciphertext: bytes.subarray(nonceBytes, -tagBytes),
    tag: bytes.subarray(-tagBytes),
  };
};

/** Decodes strictly: Node.js ignores spare bits and characters, but a sealed text must have exactly one encoding. */
const decode = (base64url: string): Buffer => {
  const bytes = Buffer.from(base64url, 'base64url');
  if (bytes.toString('base64url') !== base64url) throw createFormatError();
  return bytes;
};

const createFormatError = (): Error => new Error('The sealed text has an unknown format');

/** Returns the id of the key that sealed the text; null if the text is not sealed. */
export const sealingKeyIdOf = (sealedText: string): string | null =>
  /^v1\.([0-9a-f]{8})\./.exec(sealedText)?.[1] ?? null;

/** Returns the id of a 32-byte key, which reveals nothing about the key. */
export const keyIdOf = (bytes: Uint8Array): string =>
  createHash('sha256').update('portico key id').update(bytes).digest('hex').slice(0, 8);

const importKey = (bytes: Uint8Array): KeyObject => {
  if (bytes.length !== 32) throw new RangeError('A secrets key must have 32 bytes');
  return createSecretKey(bytes);
};
