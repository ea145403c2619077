import { checkDigits, bytesToBase62, hasChecksum, randomDigits, addChecksum } from '../checked-secret.ts';
import type { ClientId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** An API key pair in plain text: returned once, never stored. */
export interface Credentials {
  readonly clientId: ClientId;
  readonly secret: string;
}

/** Credentials with a secret that replaced an earlier one. */
export interface RotatedCredentials extends Credentials {
  /** When the previous secret expires; null if it is already invalid, or if there was none. */
  readonly previousUntil: Instant | null;
}

/** The stored parts of an API secret: never the secret itself. */
export interface StoredSecret {
  /** An argon2id hash in PHC string format. */
  readonly hash: string;
  /** The keyed tag from `KeyHasher.tag`, an unsigned 32-bit integer. */
  readonly tag: number;
}

export interface StoredKey {
  readonly current: StoredSecret;
  /** The secret before the last rotation, valid until `until` (exclusive). */
  readonly previous: (StoredSecret & { readonly until: Instant }) | null;
  /** When all of the key's secrets become invalid; null if the key has no expiry. */
  readonly expiresAt: Instant | null;
}

/** How long a previous secret may remain valid: 7 days (specification, section 3). */
export const graceSecondsMax = 604_800;

/** The prefix of a secret, the secret half of an API key pair; the format is described in `checked-secret.ts`. */
const prefix = 'portico_sk_';

const secretPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checkDigits}}$`);

/**
 * Returns the secret for these random bytes, 60 ASCII characters long; throws a `RangeError` unless there are
 * `secretBytes` bytes.
 */
export const makeSecret = (random: Uint8Array): string => addChecksum(prefix + bytesToBase62(random));

/** Whether the text has the shape of a secret and its checksum is correct. */
export const isWellFormedSecret = (text: string): boolean => secretPattern.test(text) && hasChecksum(text);

/** Returns the key's secrets that are valid now: the current one and, within its grace period, the previous one. */
export const listValidSecrets = (
  { current, previous }: Pick<StoredKey, 'current' | 'previous'>,
  now: Instant,
): readonly StoredSecret[] => (previous && now < previous.until ? [current, previous] : [current]);
