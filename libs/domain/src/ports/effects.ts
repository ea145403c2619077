import type { AuditEntry } from '../audit/audit-entry.ts';
import type { Deadline } from '../deadline.ts';
import type { NewJob } from '../jobs/job.ts';

/**
 * What a decision writes beside its record, in the same transaction: entries of the audit log and jobs of the outbox.
 * Either all of it is durable when the store's promise is fulfilled, or none of it.
 */
export interface Effects {
  readonly entries?: readonly AuditEntry[] | undefined;
  readonly jobs?: readonly NewJob[] | undefined;
  /**
   * The store begins its commit by it: where it has expired by then, the change throws `timed_out` and nothing is written. Null
   * for what no request waits for: the operator's command line, background work, the start.
   */
  readonly deadline: Deadline | null;
}
