import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Job, JobCounts, JobKind, NewJob, NoticeTask } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/**
 * The transactional outbox: jobs are written with the change that caused them and removed when they are done. A profile
 * has at most one notice: adding another only counts one more request (`asked`) on the first, whether that waits, is
 * leased, rests or is a dead letter.
 */
export interface Outbox {
  /**
   * Calls `tell` with the jobs of each change that any of these stores makes, once they are durable, and never with those
   * of a change that failed. A further call replaces `tell`, which returns at once and does not throw.
   */
  whenWritten(tell: (jobs: readonly NewJob[]) => void): void;

  /** Due jobs of this kind, without leased ones and dead letters: the longest due first, at most `limit`. */
  due(kind: JobKind, now: Instant, limit: number): Promise<readonly JobId[]>;

  /**
   * Leases the job and returns it; null if it is gone, a dead letter, not due, or already leased. Of concurrent claims,
   * one succeeds. A lease ends at `leaseUntil` (exclusive); after that the job counts as not leased.
   */
  claim(id: JobId, now: Instant, leaseUntil: Instant): Promise<Job | null>;

  /**
   * Moves the end of the lease that ends at `leaseUntil` to `nextUntil`; one that ends now is released. Returns false,
   * and changes nothing, if the job has no such lease: it is gone, a dead letter, or leased again.
   */
  extend(id: JobId, leaseUntil: Instant, nextUntil: Instant): Promise<boolean>;

  /** Removes a job; does nothing if it is gone. */
  done(id: JobId): Promise<void>;

  /** Releases the lease after a failure, counts it, and sets when the job is due again; does nothing if it is gone. */
  retry(id: JobId, dueAt: Instant, error: string): Promise<void>;

  /**
   * Puts a claimed notice to rest once it is done. It continues under the next id, so that its next mail is a new one,
   * with its failures forgotten and only the requests since its claim counted. It is due no earlier than `dueAt`, and
   * neither due nor waiting until it is requested again. Does nothing if it is gone or a dead letter.
   */
  rest(claimed: Pick<Job, 'id'> & { readonly task: NoticeTask }, next: Pick<Job, 'id' | 'dueAt'>): Promise<void>;

  /**
   * Makes the job a dead letter after a failure, which counts: keeps the error and the time, and removes a sealed
   * secret. It is due again only if it is requeued. Does nothing if the job is gone or already a dead letter.
   */
  deadLetter(id: JobId, now: Instant, error: string): Promise<void>;

  /** The waiting jobs with a sealed secret, leased and postponed ones included; in any order. */
  sealed(): Promise<readonly { readonly id: JobId; readonly sealed: string }[]>;

  /**
   * Replaces the sealed secret `before` by `after`, with these effects; changes nothing else of the job. Returns false,
   * and writes nothing, if the job is gone, a dead letter, or no longer has `before`.
   */
  reseal(id: JobId, before: string, after: string, effects: Effects): Promise<boolean>;

  /** The jobs of each kind that has any, resting notices not counted; in any order. */
  counts(now: Instant): Promise<readonly JobCounts[]>;

  /** Waiting jobs (leased and later ones included, resting ones not), dead letters, and since when the oldest one is due. */
  state(
    now: Instant,
  ): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueAt: Instant | null }>;
}
