import type { CallId, CollectionId, JobId, ProfileId, RequestId, WebhookId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { WebhookEvent } from '../webhooks/webhook.ts';

/** The kind of work that a job does, and its data. Only `sealed` contains secrets. */
export type JobTask =
  | { readonly kind: 'mail.credentials'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rotation'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rejection'; readonly profileId: ProfileId; readonly reason: string | null }
  | { readonly kind: 'mail.suspension'; readonly profileId: ProfileId; readonly reason: string | null }
  | { readonly kind: 'mail.resumption'; readonly profileId: ProfileId }
  | { readonly kind: 'mail.request'; readonly profileId: ProfileId; readonly requestId: RequestId }
  | { readonly kind: 'mail.call'; readonly profileId: ProfileId; readonly callId: CallId }
  /** `mail.expiry` notifies a client of its upcoming expiries, `mail.expiries` an admin of those of all clients. */
  | { readonly kind: 'mail.expiry'; readonly profileId: ProfileId }
  | { readonly kind: 'mail.expiries'; readonly profileId: ProfileId }
  | NoticeTask
  | WebhookTask
  | CollectionTask;

/** `embed` embeds a collection, `operations` its operations. */
export interface CollectionTask {
  readonly kind: CollectionJobKind;
  readonly collectionId: CollectionId;
}

export type CollectionJobKind = 'embed' | 'operations';

export const isCollectionTask = (task: JobTask): task is CollectionTask =>
  task.kind === 'embed' || task.kind === 'operations';

/** Notifies an admin of pending decisions. A profile has at most one such job, which collects all requests for it. */
export interface NoticeTask {
  readonly kind: 'mail.notice';
  readonly profileId: ProfileId;
  /** How many times the notice was requested since it was last sent: 1 for a new job. */
  readonly requestCount: number;
}

/** Delivers an event to a webhook. The job's id is the `webhook-id` of the event, so it stays the same across retries. */
export interface WebhookTask {
  readonly kind: 'webhook';
  readonly webhookId: WebhookId;
  readonly event: WebhookEvent;
  /** The body, exactly as it is signed and sent; contains no secret. */
  readonly content: string;
}

export type JobKind = JobTask['kind'];

/** Every kind of job, once each. Emails come first, because a person is waiting for each of them. */
export const jobKinds = Object.keys({
  'mail.credentials': true,
  'mail.rotation': true,
  'mail.rejection': true,
  'mail.suspension': true,
  'mail.resumption': true,
  'mail.request': true,
  'mail.call': true,
  'mail.expiry': true,
  'mail.expiries': true,
  'mail.notice': true,
  webhook: true,
  embed: true,
  operations: true,
} satisfies Record<JobKind, true>) as readonly JobKind[];

/**
 * The group of jobs for collections whose embedding is missing. A process running the previous version leaves them to
 * processes running this version, even if it would get there first: it would embed with its own model, and the embedding would
 * still be missing.
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
  /** The number of failures. */
  readonly attempts: number;
}

/** A job that was given up after its last attempt, as an operator sees it; contains no secret. */
export interface DeadLetter {
  readonly id: JobId;
  readonly kind: JobKind;
  /** The recipient; null if the job is not for a profile. */
  readonly profileId: ProfileId | null;
  /** The recipient's email; null if the job is not for a profile, or the profile no longer exists. */
  readonly profileEmail: string | null;
  /** The collection that the job is about; null if there is none. */
  readonly collectionId: CollectionId | null;
  /** The collection's name; null if the job is not about a collection, or the collection no longer exists. */
  readonly collectionName: string | null;
  /** The number of failures, including the last one. */
  readonly attempts: number;
  /** The error of the last failure. */
  readonly error: string;
  readonly since: Instant;
  /** Whether the job's secret was removed. Without the secret, the job can no longer be done. */
  readonly secretRemoved: boolean;
}

/** The position of a dead letter in the list. */
export type DeadLetterCursor = Pick<DeadLetter, 'since' | 'id'>;

/** The jobs of one kind. */
export interface JobCounts {
  readonly kind: JobKind;
  /** Jobs that are not leased and have not failed before, whether due or not. */
  readonly waiting: number;
  /** Jobs leased by a worker. */
  readonly running: number;
  /** Jobs that have failed before and are not leased. */
  readonly retrying: number;
  /** When the first of the failed jobs is due; null if there are none. */
  readonly nextRetryAt: Instant | null;
  readonly deadLetters: number;
  /** When the oldest due job became due, whether leased or not; null if none is due. */
  readonly oldestDueAt: Instant | null;
}

/**
 * If any process runs jobs, a job is claimed within seconds: a job that has been due for longer than this indicates
 * that none does.
 */
export const overdueMaxMs = 15 * 60_000;

/** `no dead letter` is also returned if there is no such job. `secret removed`: it can only be discarded. */
export type RequeueOutcome = 'requeued' | 'no dead letter' | 'secret removed';
