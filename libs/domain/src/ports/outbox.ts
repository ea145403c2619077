import type { JobId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Job, JobKind, NoticeTask } from '../jobs/job.ts';
import type { Effects } from './effects.ts';

/**
 * The jobs that wait: written with the change that caused them, removed when they are done. A notice whose profile has one
 * already is not added: that one is asked for once more, whether it waits, is leased, rests or is a dead letter.
 */
export interface Outbox {
  /** Jobs of this kind that are due, not leased and no dead letters: the longest due first, at most as many as the limit. */
  due(kind: JobKind, now: Instant, limit: number): Promise<readonly JobId[]>;

  /**
   * Leases the job until then and returns it; null where it is gone, a dead letter, not due, or leased by another. Of
   * simultaneous claims one succeeds. A lease counts until `leaseUntil`, exclusively; one that ran out counts as none.
   */
  claim(id: JobId, now: Instant, leaseUntil: Instant): Promise<Job | null>;

  /** Removes a job; one that is gone is no error. */
  done(id: JobId): Promise<void>;

  /** Gives the lease back after a failure, counts it and sets when it is due again; one that is gone is no error. */
  retry(id: JobId, dueAt: Instant, error: string): Promise<void>;

  /**
   * Lets a notice rest that was claimed and is done: it goes on under the next id, so that its next mail is one of its own, as if
   * it had never failed, and asked for as often as it was since its claim. It is not due before `dueAt`, and neither due nor
   * waiting while nobody has asked for it. One that is gone or a dead letter is left alone, which is no error.
   */
  rest(claimed: Pick<Job, 'id'> & { readonly task: NoticeTask }, next: Pick<Job, 'id' | 'dueAt'>): Promise<void>;

  /**
   * Makes a dead letter of the job after a failure, which counts: it is kept with its error and the time, and is not due again
   * unless it is requeued. A sealed secret is removed from it. A dead letter stays as it is; one that is gone is no error.
   */
  deadLetter(id: JobId, now: Instant, error: string): Promise<void>;

  /** The jobs that wait with a sealed secret, leased and put off ones included, with what is sealed; in any order. */
  sealed(): Promise<readonly { readonly id: JobId; readonly sealed: string }[]>;

  /**
   * Puts what was sealed anew in the place of what is sealed now, with these effects, and changes nothing else of the job;
   * returns false, and writes nothing, where the job is gone, a dead letter, or has something else sealed by now.
   */
  reseal(id: JobId, before: string, after: string, effects: Effects): Promise<boolean>;

  /** How many jobs wait, leased and later ones included, resting ones not; how many are dead letters; and since when the longest due one is due. */
  state(
    now: Instant,
  ): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueAt: Instant | null }>;
}
