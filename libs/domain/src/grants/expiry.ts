import type { Instant } from '../instant.ts';

/** Something of a client that ends: a grant, of its own or of a group, or its API key. */
export interface Expiry {
  /** The client's. */
  readonly email: string;
  /** The collection's name; null for the API key. */
  readonly collection: string | null;
  /** The name of the group that has the grant; null if it is the client's own. */
  readonly group: string | null;
  readonly expiresAt: Instant;
}

/** How many days before the end its client is told, in order (extensions, section 4). */
export const noticeDays = [30, 7, 1] as const;
