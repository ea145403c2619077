import {
  toBase62,
  checkDigits,
  bytesToBase62,
  hasChecksum,
  parseBase62,
  randomDigits,
  addChecksum,
} from '../checked-secret.ts';
import type { ServiceAccountId } from '../ids.ts';

/** Distinguishes the tokens of service accounts from all other bearer tokens; a JWT never starts with it. */
export const accountTokenPrefix = 'portico_sa_';

/** The number of digits of an id: 62^22 is the first power of 62 above 2^128, the number of UUIDs. */
const idDigits = 22;

const tokenPattern = new RegExp(`^${accountTokenPrefix}[0-9A-Za-z]{${idDigits + randomDigits + checkDigits}}$`);

/**
 * Returns the token of an account, 82 ASCII characters: the prefix, the account's id, the random bytes and the
 * checksum. Throws a `RangeError` unless there are `secretBytes` bytes.
 */
export const makeAccountToken = (id: ServiceAccountId, random: Uint8Array): string => {
  const number = BigInt(`0x${id.replaceAll('-', '')}`);
  return addChecksum(accountTokenPrefix + toBase62(number, idDigits) + bytesToBase62(random));
};

/** Returns the id in a token; null if the text has a different shape, a wrong checksum or an invalid id. */
export const accountIdOf = (token: string): ServiceAccountId | null => {
  if (!tokenPattern.test(token) || !hasChecksum(token)) return null;
  const start = accountTokenPrefix.length;
  const hex = parseBase62(token.slice(start, start + idDigits))
    .toString(16)
    .padStart(32, '0');
  if (hex.length > 32) return null;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as ServiceAccountId;
};
