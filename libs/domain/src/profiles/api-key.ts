import { checkDigits, digitsOfBytes, hasChecksum, randomDigits, withChecksum } from '../checked-secret.ts';
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

/** The secret half of an API key pair; its form is that of `checked-secret.ts`. */
const prefix = 'portico_sk_';

const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checkDigits}}$`);

/**
 * Returns the secret of these random bytes, 60 ASCII characters; throws a `RangeError` unless there are `secretBytes`
 * of them.
 */
export const makeSecret = (random: Uint8Array): string => withChecksum(prefix + digitsOfBytes(random));

/** Whether the text has the shape of a secret and its checksum is right. */
export const isWellFormedSecret = (text: string): boolean => shape.test(text) && hasChecksum(text);

/** The secrets of a key that are valid now: the current one and, within its grace, the one before. */
export const validSecrets = (
  { current, previous }: Pick<StoredKey, 'current' | 'previous'>,
  now: Instant,
): readonly StoredSecret[] => (previous && now < previous.until ? [current, previous] : [current]);
