import type { AuditEntry } from './audit-log.ts';
import type { NewJob } from './outbox.ts';

/**
 * What a decision writes beside its record, in the same transaction: entries of the audit log and jobs of the outbox.
 * Either all of it is durable when the store's promise is fulfilled, or none of it.
 */
export interface Effects {
  readonly entries: readonly AuditEntry[];
  readonly jobs: readonly NewJob[];
}
