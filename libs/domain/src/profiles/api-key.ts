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
}

/** How long a previous secret may stay valid: 7 days (specification, section 3). */
export const graceSecondsMax = 604_800;
