import type { ClientId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** An API key pair in clear: returned once, never stored. */
export interface Credentials {
  readonly clientId: ClientId;
  readonly secret: string;
}

/** Credentials whose secret replaced another. */
export interface RotatedCredentials extends Credentials {
  /** Until when the previous secret stays valid; null if it does not, or if there was none. */
  readonly previousUntil: Instant | null;
}

/** What is stored of an API secret: never the secret itself. */
export interface StoredSecret {
  /** An argon2id hash in PHC string format. */
  readonly hash: string;
  /** The keyed tag of `KeyHasher.tag`, an unsigned 32-bit integer. */
  readonly tag: number;
}

export interface StoredKey {
  readonly current: StoredSecret;
  /** The secret before the last rotation, valid until `until` (exclusive). */
  readonly previous: (StoredSecret & { readonly until: Instant }) | null;
  /** From then on no secret of the key is valid; null if it has no end. */
  readonly expiresAt: Instant | null;
}

/** How long a previous secret may stay valid: 7 days (specification, section 3). */
export const graceSecondsMax = 604_800;

/**
 * The secret half of an API key pair: a prefix that secret scanners find, 256 random bits in base62, and a CRC-32 of
 * everything before it, so that a mistyped secret is refused without a hash or a read (specification, "API keys").
 */
const prefix = 'portico_sk_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const randomDigits = 43;

const checkDigits = 6;

const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checkDigits}}$`);

/** 256 bits (specification, "API keys"). */
export const secretBytes = 32;

/**
 * Returns the secret of these random bytes, 60 ASCII characters; throws a `RangeError` unless there are `secretBytes`
 * of them.
 */
export const makeSecret = (random: Uint8Array): string => {
  if (random.length !== secretBytes) throw new RangeError(`A secret is made of ${secretBytes} bytes`);
  let number = 0n;
  for (const byte of random) number = (number << 8n) | BigInt(byte);
  const body = prefix + base62(number, randomDigits);
  return body + checksum(body);
};

/** Whether the text has the shape of a secret and its checksum is right. */
export const isWellFormedSecret = (text: string): boolean => {
  if (!shape.test(text)) return false;
  const body = text.slice(0, -checkDigits);
  return checksum(body) === text.slice(-checkDigits);
};

const base62 = (number: bigint, digits: number): string => {
  let text = '';
  for (let rest = number; text.length < digits; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
};

const checksum = (body: string): string => base62(BigInt(crc32(body)), checkDigits);

/** CRC-32 (ISO 3309, as in RFC 1952) of an ASCII text. */
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
