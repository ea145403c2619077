import { PorticoError } from '../errors.ts';
import { type Instant, toIso } from '../instant.ts';

/** Something that expires for a client: its own grant, a group's grant, or its API key. */
export interface Expiry {
  /** The client's email. */
  readonly email: string;
  /** The collection's name; null for the API key. */
  readonly collection: string | null;
  /** The name of the group that has the grant; null if the grant is the client's own. */
  readonly group: string | null;
  readonly expiresAt: Instant;
}

/** How many days before the expiry the client is notified, in order (extensions, section 4). */
export const noticeDays = [30, 7, 1] as const;

/** Throws `invalid_body` if the expiry is not in the future: setting a past expiry is a mistake. */
export const rejectPastExpiry = (expiresAt: Instant | null | undefined, now: Instant): void => {
  if (expiresAt == null || expiresAt > now) return;
  throw new PorticoError('invalid_body', { reason: `expires_at must be in the future; it is now ${toIso(now)}` });
};
