import { createHash } from 'node:crypto';

/** Crockford's base 32: without I, L, O and U, which are mistaken for others. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 bits: who guesses a thousand times a second finds one of a hundred valid codes after hundreds of millennia. */
export const shownCodeBytes = 10;

/** Writes random bytes as a code that people can type: `XXXX-XXXX-XXXX-XXXX` for ten. */
export const shownCode = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = (bits.match(/.{5}/g) ?? []).map((five) => digits[Number.parseInt(five, 2)]).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
};

/** Reads a code as a person typed it: letters of either case, hyphens and spaces anywhere, I and L as 1, O as 0. */
export const typedCode = (text: string): string =>
  text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');

/** What is stored of a code. No salt: it has more random bits than can be tried. */
export const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex');
