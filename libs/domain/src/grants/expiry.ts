import { PorticoError } from '../errors.ts';
import { type Instant, toIso } from '../instant.ts';

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

/** Refuses an end that is not in the future with `invalid_body`: what has ended already was meant as something else. */
export const refusePast = (expiresAt: Instant | null, now: Instant): void => {
  if (expiresAt === null || expiresAt > now) return;
  throw new PorticoError('invalid_body', { because: `expires_at must be in the future, it is ${toIso(now)} now` });
};
