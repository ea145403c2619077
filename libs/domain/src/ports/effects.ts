import type { AuditEntry } from '../audit/audit-entry.ts';
import type { Deadline } from '../deadline.ts';
import type { NewJob } from '../jobs/job.ts';

/**
 * A decision's additional writes, in the same transaction as its record: audit entries and outbox jobs. When the
 * store's promise is fulfilled, either all of them are durable, or none are.
 */
export interface Effects {
  readonly entries?: readonly AuditEntry[] | undefined;
  readonly jobs?: readonly NewJob[] | undefined;
  /**
   * Checked when the store begins its commit: if it has expired by then, the change throws `timed_out` and nothing is
   * written. Null for work that no request is waiting for: the operator's command line, background work, startup.
   */
  readonly deadline: Deadline | null;
}
