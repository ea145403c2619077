import { randomBytes } from 'node:crypto';

const keyBytes = 32;

/** Returns a new key in base64, in the format that `parseSecretsKey` expects. */
export const makeSecretsKey = (): string => `${randomBytes(keyBytes).toString('base64')}\n`;

/** Decodes a key of 32 bytes from base64. The error contains the source of the text, but never the text itself. */
export const parseSecretsKey = (text: string, source: string): Uint8Array => {
  const trimmed = text.trim();
  if (!/^[0-9A-Za-z+/]{43}=$/.test(trimmed))
    throw new Error(`${source} is not a secrets key: expected 32 bytes in base64 (44 characters)`);
  return Buffer.from(trimmed, 'base64');
};
