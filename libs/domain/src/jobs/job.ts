import type { CollectionId, JobId, ProfileId, RequestId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** What a job does, and its data. Only `sealed` contains secrets. */
export type JobTask =
  | { readonly kind: 'mail.credentials'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rotation'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rejection'; readonly profileId: ProfileId; readonly reason: string | null }
  | { readonly kind: 'mail.suspension'; readonly profileId: ProfileId; readonly reason: string | null }
  | { readonly kind: 'mail.resumption'; readonly profileId: ProfileId }
  | { readonly kind: 'mail.request'; readonly profileId: ProfileId; readonly requestId: RequestId }
  /** `mail.expiry` tells a client what of it ends soon, `mail.expiries` an admin what of all does. */
  | { readonly kind: 'mail.expiry'; readonly profileId: ProfileId }
  | { readonly kind: 'mail.expiries'; readonly profileId: ProfileId }
  | NoticeTask
  | CollectionTask;

/** `embed` embeds a collection, `operations` its operations. */
export interface CollectionTask {
  readonly kind: CollectionJobKind;
  readonly collectionId: CollectionId;
}

export type CollectionJobKind = 'embed' | 'operations';

export const isCollectionTask = (task: JobTask): task is CollectionTask =>
  task.kind === 'embed' || task.kind === 'operations';

/** Tells an admin who waits for a decision. A profile has at most one such job, which collects all requests for it. */
export interface NoticeTask {
  readonly kind: 'mail.notice';
  readonly profileId: ProfileId;
  /** How often it was requested since it was last sent: 1 for a new job. */
  readonly asked: number;
}

export type JobKind = JobTask['kind'];

/** Every kind once. Mails come first, because somebody waits for each of them. */
export const jobKinds = Object.keys({
  'mail.credentials': true,
  'mail.rotation': true,
  'mail.rejection': true,
  'mail.suspension': true,
  'mail.resumption': true,
  'mail.request': true,
  'mail.expiry': true,
  'mail.expiries': true,
  'mail.notice': true,
  embed: true,
  operations: true,
} satisfies Record<JobKind, true>) as readonly JobKind[];

/**
 * The group of jobs for collections whose embedding is missing. A process that runs the version before leaves them to
 * those of this version, however fast it is: it would embed with its own model, and the embedding would be missing still.
 */
export const missingEmbeddings = 'missing embeddings';

export interface NewJob {
  readonly id: JobId;
  readonly task: JobTask;
  /** Groups jobs that belong together, such as those of one re-index; null for a single job. */
  readonly group: string | null;
  readonly dueAt: Instant;
}

export interface Job extends NewJob {
  /** How often it failed. */
  readonly attempts: number;
}

/** A job that was given up after its last attempt, as an operator sees it; contains no secret. */
export interface DeadLetter {
  readonly id: JobId;
  readonly kind: JobKind;
  /** The recipient; null if it is for no profile. */
  readonly profileId: ProfileId | null;
  /** The recipient's; null if it is for no profile, or for one that is gone. */
  readonly profileEmail: string | null;
  /** The collection it is about; null if it is about none. */
  readonly collectionId: CollectionId | null;
  /** The collection's; null if it is about none, or about one that is gone. */
  readonly collectionName: string | null;
  /** How often it failed, including the last time. */
  readonly attempts: number;
  /** The error of the last failure. */
  readonly error: string;
  readonly since: Instant;
  /** Whether its secret was removed. Without it the job can no longer be done. */
  readonly secretRemoved: boolean;
}

/** Where a dead letter stands in their list. */
export type DeadLetterPlace = Pick<DeadLetter, 'since' | 'id'>;

/** The jobs of one kind. */
export interface JobCounts {
  readonly kind: JobKind;
  /** Neither leased nor failed before, due or not. */
  readonly waiting: number;
  /** Leased: a worker has it. */
  readonly running: number;
  /** Failed before, and not leased. */
  readonly retrying: number;
  /** When the first of those that failed is due; null if there are none. */
  readonly nextRetryAt: Instant | null;
  readonly deadLetters: number;
  /** Since when the longest due one is due, leased or not; null if none is due. */
  readonly oldestDueAt: Instant | null;
}

/** A job is taken within seconds, if any process runs jobs: one that is due for longer says that none does. */
export const overdueMaxMs = 15 * 60_000;

/** `no dead letter`: also if there is no such job. `secret removed`: it can only be discarded. */
export type RequeueOutcome = 'requeued' | 'no dead letter' | 'secret removed';
