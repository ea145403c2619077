import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { DeadLetter, DeadLetterPlace, RequeueOutcome } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/** Outbox jobs that were given up, for the operator. A change of one commits with its effects or not at all. */
export interface DeadLetters {
  /** At most `limit`, newest first, ties by id (the last one first); from the first one after that place, if one is given. */
  list(limit: number, after?: DeadLetterPlace | null): Promise<readonly DeadLetter[]>;

  /**
   * Makes a dead letter wait again: due at once, its failures forgotten. Leaves it alone, and writes no effects, if its
   * secret was removed, if the job is gone, or if it is not a dead letter. Of concurrent requeues of one dead letter,
   * one returns `requeued`.
   */
  requeue(id: JobId, now: Instant, effects: Effects): Promise<RequeueOutcome>;

  /**
   * Requeues those of these jobs that `requeue` would, in one transaction; returns the outcome of each. `decide` gets
   * those that are requeued, and is not called if there are none.
   */
  requeueEach(
    ids: ReadonlySet<JobId>,
    now: Instant,
    decide: (requeued: readonly JobId[]) => Effects,
  ): Promise<ReadonlyMap<JobId, RequeueOutcome>>;

  /**
   * Requeues every dead letter except those whose secret was removed; returns how many. `decide` gets that number, and
   * is not called if it is 0.
   */
  requeueAll(now: Instant, decide: (count: number) => Effects): Promise<number>;

  /** Removes a dead letter; returns whether there was one. Otherwise writes no effects; a waiting job stays. */
  discard(id: JobId, effects: Effects): Promise<boolean>;
}
