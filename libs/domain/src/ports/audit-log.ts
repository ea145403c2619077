import type { AuditEntry, AuditFilter } from '../audit/audit-entry.ts';
import type { Deadline } from '../deadline.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** The audit log: entries can be added and read, but never changed. */
export interface AuditLog {
  /**
   * Appends an entry; it is durable once the promise is fulfilled. Throws `timed_out`, and adds nothing, if the
   * deadline has expired by the time the commit would begin.
   */
  append(entry: AuditEntry, deadline: Deadline | null): Promise<void>;

  /**
   * Returns at most `limit` entries that match the filter, starting at `offset`, and the total number of matches.
   * Entries are sorted by `instant`, newest first, then by insertion, newest first.
   */
  readPage(
    filter: AuditFilter,
    offset: number,
    limit: number,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>;

  /**
   * Returns all entries that match the filter, in the order of `readPage`, in bounded batches. Each entry that exists at
   * the time of the call is returned once.
   */
  export(filter: AuditFilter): AsyncIterable<AuditEntry>;

  /**
   * Returns the current names of these actors: the email of a profile, the name of a service account. Actors that no
   * longer exist are omitted. Runs a single statement, for at most 1,000 ids.
   */
  findActorNames(ids: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, string>>;

  /** Removes up to `limit` entries received before that instant, oldest first; returns the number removed. */
  prune(before: Instant, limit: number): Promise<number>;
}
