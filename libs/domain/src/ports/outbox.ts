import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Job, JobCounts, JobKind, NewJob, NoticeTask } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/**
 * The transactional outbox: jobs are written with the change that caused them and removed when they are done. A profile
 * has at most one notice: adding another one only increments the `requestCount` of the existing one, whether that is
 * waiting, leased, resting or a dead letter.
 */
export interface Outbox {
  /**
   * Calls `listener` with the jobs of each change made by any of these stores, once they are durable, and never with
   * jobs of a change that failed. A further call replaces the listener. The listener must return immediately, and must
   * not throw.
   */
  onWritten(listener: (jobs: readonly NewJob[]) => void): void;

  /**
   * Returns at most `limit` due jobs of this kind, without leased jobs and dead letters; the jobs that have been due
   * for the longest time come first.
   */
  listDue(kind: JobKind, now: Instant, limit: number): Promise<readonly JobId[]>;

  /**
   * Leases the job and returns it; null if it no longer exists, is a dead letter, not due, or already leased. One of
   * several concurrent claims succeeds. A lease expires at `leaseUntil` (exclusive); from then on, the job counts as
   * not leased.
   */
  claim(id: JobId, now: Instant, leaseUntil: Instant): Promise<Job | null>;

  /**
   * Changes the expiry of the lease that expires at `leaseUntil` to `nextUntil`; a lease that expires now is released.
   * Returns false, and changes nothing, if the job has no such lease: it no longer exists, is a dead letter, or was
   * leased again.
   */
  extend(id: JobId, leaseUntil: Instant, nextUntil: Instant): Promise<boolean>;

  /** Removes a job; does nothing if it no longer exists. */
  complete(id: JobId): Promise<void>;

  /**
   * Releases the lease after a failure, counts the failure, and sets the time at which the job is due again; does
   * nothing if the job no longer exists.
   */
  retry(id: JobId, dueAt: Instant, error: string): Promise<void>;

  /**
   * Puts a claimed notice to rest once it is done. The notice continues under the next id, so that its next email is a
   * new one; its failures are cleared, and only requests since its claim are counted. It is due no earlier than
   * `dueAt`, and is neither due nor waiting until it is requested again. Does nothing if the notice no longer exists or
   * is a dead letter.
   */
  restNotice(
    notice: Pick<Job, 'id'> & { readonly task: NoticeTask },
    nextJob: Pick<Job, 'id' | 'dueAt'>,
  ): Promise<void>;

  /**
   * Makes the job a dead letter after a failure, which is counted: stores the error and the time, and removes a sealed
   * secret. It is due again only if it is requeued. Does nothing if the job no longer exists or is already a dead
   * letter.
   */
  deadLetter(id: JobId, now: Instant, error: string): Promise<void>;

  /** Returns the waiting jobs with a sealed secret, including leased and postponed ones, in any order. */
  listSealed(): Promise<readonly { readonly id: JobId; readonly sealed: string }[]>;

  /**
   * Replaces the sealed secret `before` with `after`, and writes these effects; changes nothing else about the job.
   * Returns false, and writes nothing, if the job no longer exists, is a dead letter, or no longer has `before`.
   */
  reseal(id: JobId, before: string, after: string, effects: Effects): Promise<boolean>;

  /** Returns the number of jobs of each kind that has any, without resting notices, in any order. */
  countByKind(now: Instant): Promise<readonly JobCounts[]>;

  /**
   * Returns the number of waiting jobs (including leased and postponed ones, excluding resting ones), the number of
   * dead letters, and when the oldest due job became due.
   */
  readState(
    now: Instant,
  ): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueAt: Instant | null }>;
}
