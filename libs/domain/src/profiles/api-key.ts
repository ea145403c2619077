import type { ClientId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** Credentials of which the secret is a new one. */
export interface RotatedCredentials extends Credentials {
  /** Until when the secret before it stays good; null where it does not, or there was none. */
  readonly previousUntil: Instant | null;
}

/** What is kept of an API secret: never the secret itself. */
export interface StoredSecret {
  /** An argon2id hash in PHC string format. */
  readonly hash: string;
  /** The keyed tag of `KeyHasher.tag`, an unsigned 32-bit integer. */
  readonly tag: number;
}

export interface StoredKey {
  readonly current: StoredSecret;
  /** The secret before the last rotation, good until `until` (exclusive). */
  readonly previous: (StoredSecret & { readonly until: Instant }) | null;
}

/** An API key pair, in clear: it is answered once and never kept. */
export interface Credentials {
  readonly clientId: ClientId;
  readonly secret: string;
}

/** 7 days (specification, section 3). */
export const graceSecondsMax = 604_800;
