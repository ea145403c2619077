import type { EntryId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Json } from '../json.ts';

/** Returns the values that a message can be filtered by. */
export const facetsOf = (message: { readonly [key: string]: Json }): AuditFacets => ({
  clientId: facetOf(message, 'client_id'),
  collectionId: facetOf(message, 'collection_id'),
  action: facetOf(message, 'action'),
});

const facetLengthMax = 200;

const facetOf = (message: { readonly [key: string]: Json }, key: string): string | null => {
  const value = Object.hasOwn(message, key) ? message[key] : null;
  return typeof value === 'string' && value.length > 0 && value.length <= facetLengthMax ? value : null;
};

/** `client`: written by a caller. `system`: written by the service about its own actions (specification, section 6). */
export type AuditSource = 'client' | 'system';

export interface AuditEntry {
  readonly id: EntryId;
  readonly source: AuditSource;
  /** The profile that wrote or caused the entry; null for the service itself and the operator's command line. */
  readonly actorId: ProfileId | null;
  /** The text of a JSON object, stored as received. */
  readonly message: string;
  /** The timestamp as the caller sent it; otherwise the time of receipt, in ISO 8601 format. */
  readonly timestamp: string;
  /** The instant of `timestamp`, with fractions of a millisecond down to the microsecond; entries are sorted by it. */
  readonly instant: Instant;
  /** The start of the retention period. */
  readonly receivedAt: Instant;
  /** The values of `message` to filter by, if they are strings of 1 to 200 characters. */
  readonly facets: AuditFacets;
}

/**
 * The values of `client_id`, `collection_id` and `action`; null if the message has no such string. These values prove
 * nothing.
 */
export interface AuditFacets {
  readonly clientId: string | null;
  readonly collectionId: string | null;
  readonly action: string | null;
}

/** All conditions must hold; `from` and `to` are compared with `instant`. */
export interface AuditFilter {
  readonly source: AuditSource | 'all';
  readonly actorId?: ProfileId;
  readonly clientId?: string;
  readonly collectionId?: string;
  readonly action?: string;
  /** Inclusive. */
  readonly from?: Instant;
  /** Exclusive. */
  readonly to?: Instant;
}
