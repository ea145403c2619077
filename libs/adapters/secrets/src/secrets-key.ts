import { randomBytes } from 'node:crypto';

const keyBytes = 32;

/** A new key in base64, as `parseSecretsKey` reads it. */
export const makeSecretsKey = (): string => `${randomBytes(keyBytes).toString('base64')}\n`;

/** The 32 bytes that a base64 text says. The error says where the text is from, never the text. */
export const parseSecretsKey = (text: string, source: string): Uint8Array => {
  const trimmed = text.trim();
  if (!/^[0-9A-Za-z+/]{43}=$/.test(trimmed))
    throw new Error(`${source} is no secrets key: 32 bytes in base64 (44 characters) are expected`);
  return Buffer.from(trimmed, 'base64');
};
