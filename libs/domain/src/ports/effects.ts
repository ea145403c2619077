import type { AuditEntry } from '../audit/audit-entry.ts';
import type { Deadline } from '../deadline.ts';
import type { NewJob } from '../jobs/job.ts';

/**
 * What a decision writes besides its record, in the same transaction: audit entries and outbox jobs. Either all of it
 * is durable when the store's promise is fulfilled, or none of it.
 */
export interface Effects {
  readonly entries?: readonly AuditEntry[] | undefined;
  readonly jobs?: readonly NewJob[] | undefined;
  /**
   * Checked as the store begins its commit: if it has expired by then, the change throws `timed_out` and nothing is
   * written. Null for work that no request waits for: the operator's command line, background work, startup.
   */
  readonly deadline: Deadline | null;
}
