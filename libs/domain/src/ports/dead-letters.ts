import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { DeadLetter, RequeueOutcome } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/** The jobs of the outbox that were given up, for the operator. A change of one is durable with its effects or not at all. */
export interface DeadLetters {
  /** Newest first, at most as many as the limit. */
  list(limit: number): Promise<readonly DeadLetter[]>;

  /**
   * Makes a dead letter a job that waits again: due at once, and as if it had never failed. One whose secret was removed is left
   * alone, and so is a job that is gone or no dead letter; then no effects are written. Of simultaneous requeues of one dead
   * letter one returns `requeued`.
   */
  requeue(id: JobId, now: Instant, effects: Effects): Promise<RequeueOutcome>;

  /**
   * Requeues every dead letter except those whose secret was removed; returns how many. `decide` is told how many, and not
   * asked where there are none.
   */
  requeueAll(now: Instant, decide: (count: number) => Effects): Promise<number>;

  /** Removes a dead letter; returns whether there was one. A job that waits is left alone, and no effects are written. */
  discard(id: JobId, effects: Effects): Promise<boolean>;
}
