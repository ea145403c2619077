import type { CollectionId, JobId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { JobKind } from './job.ts';

/** A job that was given up after its last attempt, as an operator sees it: no part of it is secret. */
export interface DeadLetter {
  readonly id: JobId;
  readonly kind: JobKind;
  /** Whom it is for; null where it is for no profile. */
  readonly profileId: ProfileId | null;
  /** What it is about; null where it is about no collection. */
  readonly collectionId: CollectionId | null;
  /** How often it failed, the last time included. */
  readonly attempts: number;
  /** What was said of the last failure. */
  readonly error: string;
  readonly since: Instant;
  /** Whether a secret was removed from it, without which it cannot be done any more. */
  readonly secretRemoved: boolean;
}

/** `no dead letter`: also where there is no such job. `secret removed`: nothing is left but to discard it. */
export type RequeueOutcome = 'requeued' | 'no dead letter' | 'secret removed';
