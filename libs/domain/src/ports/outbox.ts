import type { CollectionId, JobId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** What a job does and with what. Secrets are in `sealed` alone. */
export type JobTask =
  | { readonly kind: 'mail.credentials'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rejection'; readonly profileId: ProfileId; readonly reason: string | null }
  | { readonly kind: 'embed'; readonly collectionId: CollectionId };

export interface NewJob {
  readonly id: JobId;
  readonly task: JobTask;
  /** Jobs that belong together, such as those of one re-index. */
  readonly group: string | null;
  readonly dueAt: Instant;
}

export interface Job extends NewJob {
  /** How often it failed. */
  readonly attempts: number;
}

/** The jobs that wait: written with the change that caused them, removed when they are done. */
export interface Outbox {
  /** Jobs that are due, not leased and not given up, longest due first. */
  due(now: Instant, limit: number): Promise<readonly JobId[]>;

  /**
   * Leases the job until then and answers it; null where it is gone, given up, not due, or leased by another. Of
   * simultaneous claims one succeeds. A lease counts until `leaseUntil`, exclusively; one that ran out counts as none.
   */
  claim(id: JobId, now: Instant, leaseUntil: Instant): Promise<Job | null>;

  /** Removes a job; one that is gone is no error. */
  done(id: JobId): Promise<void>;

  /** Gives the lease back after a failure, counts it and sets when it is due again; one that is gone is no error. */
  retry(id: JobId, dueAt: Instant, error: string): Promise<void>;

  /**
   * Gives the job up: it is kept with its error and is never due again. A sealed secret is removed from it. One that is gone is
   * no error.
   */
  giveUp(id: JobId, error: string): Promise<void>;

  /** How many jobs wait, leased and later ones included; how many were given up; and since when the longest due one is. */
  state(
    now: Instant,
  ): Promise<{ readonly waiting: number; readonly givenUp: number; readonly oldestDueAt: Instant | null }>;
}
