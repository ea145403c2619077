import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { GivenUpJob, RequeueOutcome } from '../jobs/dead-letter.ts';
import type { Job, JobKind, NoticeTask } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/**
 * The jobs that wait: written with the change that caused them, removed when they are done. A notice whose profile has one already
 * is not added: that one is asked for once more, whether it waits, is leased, rests or was given up.
 */
export interface Outbox {
  /** Jobs of this kind that are due, not leased and not given up: the longest due first, at most as many as the limit. */
  due(kind: JobKind, now: Instant, limit: number): Promise<readonly JobId[]>;

  /**
   * Leases the job until then and returns it; null where it is gone, given up, not due, or leased by another. Of
   * simultaneous claims one succeeds. A lease counts until `leaseUntil`, exclusively; one that ran out counts as none.
   */
  claim(id: JobId, now: Instant, leaseUntil: Instant): Promise<Job | null>;

  /** Removes a job; one that is gone is no error. */
  done(id: JobId): Promise<void>;

  /** Gives the lease back after a failure, counts it and sets when it is due again; one that is gone is no error. */
  retry(id: JobId, dueAt: Instant, error: string): Promise<void>;

  /**
   * Lets a notice rest that was claimed and is done: it goes on under the next id, so that its next mail is one of its own, as if it had
   * never failed, and asked for as often as it was since its claim. It is not due before `dueAt`, and neither due nor waiting while
   * nobody has asked for it. One that is gone or given up is left alone, which is no error.
   */
  rest(claimed: Pick<Job, 'id'> & { readonly task: NoticeTask }, next: Pick<Job, 'id' | 'dueAt'>): Promise<void>;

  /**
   * Gives the job up after a failure, which counts: it is kept with its error and the time, and is not due again unless it is
   * requeued. A sealed secret is removed from it. One that is given up already stays as it is; one that is gone is no error.
   */
  giveUp(id: JobId, now: Instant, error: string): Promise<void>;

  /** Jobs that were given up, newest first. */
  givenUp(limit: number): Promise<readonly GivenUpJob[]>;

  /**
   * Makes a job that was given up one that waits again: due at once, and as if it had never failed. One that is gone or not given
   * up is left alone, and so is one whose secret was removed. Of simultaneous requeues of a job one answers `requeued`.
   */
  requeue(id: JobId, now: Instant): Promise<RequeueOutcome>;

  /** Requeues every job that was given up, except those whose secret was removed; returns how many. */
  requeueAll(now: Instant): Promise<number>;

  /** Removes a job that was given up; returns whether there was one. A job that waits is left alone. */
  discard(id: JobId): Promise<boolean>;

  /** The jobs that wait with a sealed secret, leased and put off ones included, with what is sealed; in any order. */
  sealed(): Promise<readonly { readonly id: JobId; readonly sealed: string }[]>;

  /**
   * Puts what was sealed anew in the place of what is sealed now, with these effects, and changes nothing else of the job; returns
   * false, and writes nothing, where the job is gone, was given up, or has something else sealed by now.
   */
  reseal(id: JobId, before: string, after: string, effects: Effects): Promise<boolean>;

  /** How many jobs wait, leased and later ones included, resting ones not; how many were given up; and since when the longest due one is. */
  state(
    now: Instant,
  ): Promise<{ readonly waiting: number; readonly givenUp: number; readonly oldestDueAt: Instant | null }>;
}
