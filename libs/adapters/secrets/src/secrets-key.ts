import { randomBytes } from 'node:crypto';

const keyBytes = 32;

/** Returns a new key in base64, in the format of `parseSecretsKey`. */
export const makeSecretsKey = (): string => `${randomBytes(keyBytes).toString('base64')}\n`;

/** Decodes the 32 bytes of a base64 text. The error contains the source of the text, but never the text. */
export const parseSecretsKey = (text: string, source: string): Uint8Array => {
  const trimmed = text.trim();
  if (!/^[0-9A-Za-z+/]{43}=$/.test(trimmed))
    throw new Error(`${source} is not a secrets key: expected 32 bytes in base64 (44 characters)`);
  return Buffer.from(trimmed, 'base64');
};
