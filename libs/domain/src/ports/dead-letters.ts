import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { DeadLetter, DeadLetterCursor, RequeueOutcome } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/**
 * Outbox jobs that were given up, for the operator. A change to a dead letter commits with its effects or not at all.
 */
export interface DeadLetters {
  /**
   * Returns at most `limit` dead letters, newest first, then by id, highest first; if a position is given, only those
   * after it.
   */
  list(limit: number, after?: DeadLetterCursor | null): Promise<readonly DeadLetter[]>;

  /**
   * Makes a dead letter a waiting job again: due immediately, with its failures cleared. Changes nothing, and writes no
   * effects, if its secret was removed, if the job no longer exists, or if it is not a dead letter. Exactly one of
   * several concurrent requeues of the same dead letter returns `requeued`.
   */
  requeue(id: JobId, now: Instant, effects: Effects): Promise<RequeueOutcome>;

  /**
   * Requeues each of these jobs that `requeue` would requeue, in one transaction; returns the outcome for each.
   * `decide` gets the ids of the requeued jobs, and is not called if there are none.
   */
  requeueEach(
    ids: ReadonlySet<JobId>,
    now: Instant,
    decide: (requeued: readonly JobId[]) => Effects,
  ): Promise<ReadonlyMap<JobId, RequeueOutcome>>;

  /**
   * Requeues every dead letter except those whose secret was removed; returns the number of requeued jobs. `decide`
   * gets that number, and is not called if it is 0.
   */
  requeueAll(now: Instant, decide: (count: number) => Effects): Promise<number>;

  /**
   * Removes a dead letter; returns whether there was one. If there was none, writes no effects. Does not remove a
   * waiting job.
   */
  discard(id: JobId, effects: Effects): Promise<boolean>;
}
