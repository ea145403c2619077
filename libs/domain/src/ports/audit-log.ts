import type { AuditEntry, AuditFilter } from '../audit/audit-entry.ts';
import type { Deadline } from '../deadline.ts';
import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** The audit log: entries are added and read, never changed. */
export interface AuditLog {
  /**
   * Appends an entry; it is durable once the promise is fulfilled. If the deadline has expired when the commit would
   * begin, throws `timed_out` and adds nothing.
   */
  append(entry: AuditEntry, deadline: Deadline | null): Promise<void>;

  /**
   * Returns at most `limit` entries from `offset` on, and the total under this filter. The newest `instant` comes
   * first, ties by insertion, newest first.
   */
  page(
    filter: AuditFilter,
    offset: number,
    limit: number,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly total: number }>;

  /** All entries under the filter in the order of `page`, in bounded batches; each one present at the call comes once. */
  export(filter: AuditFilter): AsyncIterable<AuditEntry>;

  /**
   * What these actors are called now: a profile by its e-mail, a service account by its name. Who is gone is left out.
   * One statement, for at most 1,000 of them.
   */
  actorNames(ids: readonly ProfileId[]): Promise<ReadonlyMap<ProfileId, string>>;

  /** Removes up to `limit` entries received before that instant, oldest first; returns how many it removed. */
  prune(before: Instant, limit: number): Promise<number>;
}
