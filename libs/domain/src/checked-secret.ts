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
  return toBase62(number, randomDigits);
};

/** Returns exactly `digits` digits, with leading zeros; the first digits of a larger number are dropped. */
export const toBase62 = (number: bigint, digits: number): string => {
  let text = '';
  for (let remaining = number; text.length < digits; remaining /= 62n)
    text = alphabet.charAt(Number(remaining % 62n)) + text;
  return text;
};

/** Parses base62 digits. */
export const parseBase62 = (digits: string): bigint => {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(alphabet.indexOf(digit));
  return number;
};

/** Returns the ASCII text followed by its checksum. */
export const addChecksum = (body: string): string => body + checksumOf(body);

/** Whether the ASCII text ends with the checksum of the text before it. */
export const hasChecksum = (text: string): boolean =>
  checksumOf(text.slice(0, -checkDigits)) === text.slice(-checkDigits);

/**
 * Returns the checksum in the same digits as `toBase62`, but without big integers: it runs for each request with a
 * secret.
 */
const checksumOf = (body: string): string => {
  let text = '';
  for (let remaining = computeCrc32(body); text.length < checkDigits; remaining = Math.floor(remaining / 62)) {
    text = alphabet.charAt(remaining % 62) + text;
  }
  return text;
};

/** Returns the CRC-32 (ISO 3309, as in RFC 1952) of an ASCII text. */
const computeCrc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
};

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
