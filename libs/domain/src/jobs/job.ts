import type { CollectionId, JobId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** What a job does and with what. Secrets are in `sealed` alone. */
export type JobTask =
  | { readonly kind: 'mail.credentials'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rotation'; readonly profileId: ProfileId; readonly sealed: string }
  | { readonly kind: 'mail.rejection'; readonly profileId: ProfileId; readonly reason: string | null }
  | NoticeTask
  | { readonly kind: 'embed'; readonly collectionId: CollectionId };

/** Tells an admin of registrations. A profile has one such job at most, which gathers what it is asked for. */
export interface NoticeTask {
  readonly kind: 'mail.notice';
  readonly profileId: ProfileId;
  /** How often it was asked for since it was last sent: 1 for a new job. */
  readonly asked: number;
}

export type JobKind = JobTask['kind'];

/** Every kind once, mails first: somebody waits for each of them. */
export const jobKinds = Object.keys({
  'mail.credentials': true,
  'mail.rotation': true,
  'mail.rejection': true,
  'mail.notice': true,
  embed: true,
} satisfies Record<JobKind, true>) as readonly JobKind[];

export interface NewJob {
  readonly id: JobId;
  readonly task: JobTask;
  /** Jobs that belong together, such as those of one re-index; null for one that stands alone. */
  readonly group: string | null;
  readonly dueAt: Instant;
}

export interface Job extends NewJob {
  /** How often it failed. */
  readonly attempts: number;
}
