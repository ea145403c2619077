import type { CollectionId, DeadLetter, Instant, Job, JobId, JobKind, JobTask, ProfileId } from '@portico/domain';

/** A task in columns of its own, so that a profile's mails can be found. */
export interface TaskColumns {
  readonly kind: JobKind;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
  readonly sealed: string | null;
  readonly reason: string | null;
  /** 1 but for a notice. */
  readonly asked: number;
}

export interface JobRow extends TaskColumns {
  readonly id: JobId;
  readonly jobGroup: string | null;
  readonly dueAt: Instant;
  readonly attempts: number;
}

export const jobColumns = [
  'id',
  'kind',
  'profileId',
  'collectionId',
  'sealed',
  'reason',
  'asked',
  'jobGroup',
  'dueAt',
  'attempts',
] as const satisfies readonly (keyof JobRow)[];

export const taskColumns = (task: JobTask): TaskColumns => ({ ...nothing, ...task });

/** Throws where the row lacks what a task of its kind has. */
export const jobOf = ({ id, jobGroup, dueAt, attempts, ...task }: JobRow): Job => ({
  id,
  task: taskOf(task),
  group: jobGroup,
  dueAt,
  attempts,
});

/** A dead letter keeps since when it is one in `dueAt`, and an empty text where it had a sealed secret. */
export interface DeadLetterRow extends Pick<
  JobRow,
  'id' | 'kind' | 'profileId' | 'collectionId' | 'sealed' | 'dueAt' | 'attempts'
> {
  readonly error: string;
}

export const deadLetterColumns = [
  'id',
  'kind',
  'profileId',
  'collectionId',
  'sealed',
  'dueAt',
  'attempts',
  'error',
] as const satisfies readonly (keyof DeadLetterRow)[];

export const deadLetterOf = ({ dueAt, sealed, ...job }: DeadLetterRow): DeadLetter => ({
  ...job,
  since: dueAt,
  secretRemoved: sealed !== null,
});

const nothing = { profileId: null, collectionId: null, sealed: null, reason: null, asked: 1 };

const taskOf = ({ kind, profileId, collectionId, sealed, reason, asked }: TaskColumns): JobTask => {
  switch (kind) {
    case 'mail.credentials':
    case 'mail.rotation':
      return { kind, profileId: present(profileId), sealed: present(sealed) };
    case 'mail.rejection':
      return { kind, profileId: present(profileId), reason };
    case 'mail.notice':
      return { kind, profileId: present(profileId), asked };
    case 'embed':
      return { kind, collectionId: present(collectionId) };
  }
};

const present = <T>(value: T | null): T => {
  if (value === null) throw new Error('A job in the database lacks a part of its task.');
  return value;
};
