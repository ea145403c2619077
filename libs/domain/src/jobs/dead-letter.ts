import type { CollectionId, JobId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { JobKind } from './job.ts';

/** A job that was given up after its last attempt, as an operator sees it; contains no secret. */
export interface DeadLetter {
  readonly id: JobId;
  readonly kind: JobKind;
  /** The recipient; null if it is for no profile. */
  readonly profileId: ProfileId | null;
  /** The collection it is about; null if it is about none. */
  readonly collectionId: CollectionId | null;
  /** How often it failed, including the last time. */
  readonly attempts: number;
  /** The error of the last failure. */
  readonly error: string;
  readonly since: Instant;
  /** Whether its secret was removed. Without it the job can no longer be done. */
  readonly secretRemoved: boolean;
}

/** `no dead letter`: also if there is no such job. `secret removed`: it can only be discarded. */
export type RequeueOutcome = 'requeued' | 'no dead letter' | 'secret removed';
