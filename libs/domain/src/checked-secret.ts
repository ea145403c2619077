/**
 * The format of all secrets that the service issues: a prefix that secret scanners detect, base62 digits, and a CRC-32
 * of everything before it, so that a mistyped secret is rejected without a hash or a read (specification, "API keys").
 */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 256 bits (specification, "API keys"). */
export const secretBytes = 32;

/** 62^43 is the first power of 62 above 2^256. */
export const randomDigits = 43;

export const checkDigits = 6;

/** Converts the bytes to 43 base62 digits; throws a `RangeError` unless there are `secretBytes` bytes. */
export const bytesToBase62 = (random: Uint8Array): string => {
  if (random.length !== secretBytes) throw new RangeError(`A secret is made from ${secretBytes} bytes`);
  let number = 0n;
  for (const byte of random) number = (number << 8n) | BigInt(byte);
  return base62(number, randomDigits);
};

/** Returns exactly `digits` digits, with leading zeros; the first digits of a larger number are dropped. */
export const base62 = (number: bigint, digits: number): string => {
  let text = '';
  for (let rest = number; text.length < digits; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
};

/** Parses base62 digits. */
export const parseBase62 = (digits: string): bigint => {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(alphabet.indexOf(digit));
  return number;
};

/** Returns the ASCII text followed by its checksum. */
export const withChecksum = (body: string): string => body + checksum(body);

/** Whether the ASCII text ends with the checksum of the text before it. */
export const hasChecksum = (text: string): boolean =>
  checksum(text.slice(0, -checkDigits)) === text.slice(-checkDigits);

/**
 * Returns the checksum in the same digits as `base62`, but without big integers: it runs for each request with a
 * secret.
 */
const checksum = (body: string): string => {
  let text = '';
  for (let rest = crc32(body); text.length < checkDigits; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text;
  }
  return text;
};

/** Returns the CRC-32 (ISO 3309, as in RFC 1952) of an ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
};

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
