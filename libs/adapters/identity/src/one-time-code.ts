import { createHash } from 'node:crypto';

/** Crockford's base 32, which omits I, L, O and U because they are easily confused with other characters. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The length of a code: 80 bits. At a thousand guesses per second, finding one of a hundred valid codes takes hundreds
 * of millennia.
 */
export const codeBytes = 10;

/** Formats random bytes as a code that people can type: `XXXX-XXXX-XXXX-XXXX` for ten bytes. */
export const formatCode = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = (bits.match(/.{5}/g) ?? []).map((fiveBits) => digits[Number.parseInt(fiveBits, 2)]).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
};

/** Normalizes a typed code: ignores case, hyphens and spaces, and reads I and L as 1 and O as 0. */
export const normalizeCode = (text: string): string =>
  text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');

/**
 * Returns the digest that is stored instead of a code. It needs no salt: a code has too many random bits for brute
 * force.
 */
export const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex');
