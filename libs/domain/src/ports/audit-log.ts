import type { EntryId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Deadline } from './deadline.ts';

/** `client`: written by a caller. `system`: by the service, of its own doings (specification, section 6). */
export type AuditSource = 'client' | 'system';

export interface AuditEntry {
  readonly id: EntryId;
  readonly source: AuditSource;
  /** The profile that wrote or caused it; null for the service itself and the operator's command line. */
  readonly actorId: ProfileId | null;
  /** The text of a JSON object, kept as it came. */
  readonly message: string;
  /** As it was sent, or ISO 8601. */
  readonly timestamp: string;
  /** The instant that `timestamp` says, with its fractions of a millisecond down to the microsecond; entries are ordered by it. */
  readonly instant: Instant;
  /** What retention goes by. */
  readonly receivedAt: Instant;
  /** What `message` says under these keys, where it is a string of 1 to 200 characters; for filters. */
  readonly facets: AuditFacets;
}

/** By `client_id`, `collection_id` and `action`; null where the message has no such string. They prove nothing. */
export interface AuditFacets {
  readonly clientId: string | null;
  readonly collectionId: string | null;
  readonly action: string | null;
}

/** All that is given must hold; `from` and `to` are compared with `instant`. */
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

/** The audit log: entries are added and read, never changed. */
export interface AuditLog {
  /**
   * Adds an entry; it is durable when the promise is fulfilled. Begins its commit by the deadline: where that has expired by then,
   * raises `timed_out` and adds nothing.
   */
  append(entry: AuditEntry, deadline: Deadline | null): Promise<void>;

  /**
   * Entries from `offset` on, at most `limit`: newest `instant` first, those of one instant by insertion, newest first;
   * and how many there are in all under this filter.
   */
  page(
    filter: AuditFilter,
    offset: number,
    limit: number,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>;

  /** All entries under the filter in the order of `page`, read in bounded batches; each that was there at the call comes once. */
  export(filter: AuditFilter): AsyncIterable<AuditEntry>;

  /** Removes up to `limit` entries that were received before that instant, oldest first; answers how many it removed. */
  prune(before: Instant, limit: number): Promise<number>;
}
