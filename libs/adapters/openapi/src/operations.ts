import { createHash } from 'node:crypto';
import type { OperationKey, OperationKeyOf } from '@portico/domain';

/** Returns a key of 16 characters, that is, 80 bits (extensions, section 1). */
export const operationKeyOf: OperationKeyOf = (method, path) =>
  toBase32(createHash('sha256').update(`${method} ${path}`).digest().subarray(0, 10)) as OperationKey;

/** Encodes bytes in lower-case base32 (RFC 4648, section 6). Supports only whole groups of 40 bits. */
const toBase32 = (bytes: Uint8Array): string => {
  let text = '';
  for (let start = 0; start < bytes.length; start += 5) {
    const group = bytes.subarray(start, start + 5).reduce((sum, byte) => sum * 256 + byte, 0);
    for (let position = 7; position >= 0; position--) text += alphabet[Math.floor(group / 32 ** position) % 32];
  }
  return text;
};

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
