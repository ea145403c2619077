import { missingEmbeddings, type DeadLetter, type Job, type JobTask, type NewJob } from '@portico/domain';
import { JobEntity } from './entities/job-entity.ts';
import { columnsOf, insertInto, type Row, omitNames } from './table.ts';

type StoredRow = Row<typeof JobEntity>;

export const jobColumns = omitNames(columnsOf(JobEntity), 'leasedUntil', 'givenUp', 'error');
export type JobRow = Pick<StoredRow, (typeof jobColumns)[number]>;

/** In a dead letter, `dueAt` is the time at which it became one, and `sealed` is empty if the job had a secret. */
export const deadLetterColumns = [
  'id',
  'kind',
  'profileId',
  'collectionId',
  'sealed',
  'dueAt',
  'attempts',
  'error',
] as const satisfies readonly (keyof StoredRow)[];
export interface DeadLetterRow extends Pick<StoredRow, (typeof deadLetterColumns)[number]> {
  /**
   * The email address of the job's profile and the name of its collection; null if the job has none or it no longer
   * exists.
   */
  readonly profileEmail: string | null;
  readonly collectionName: string | null;
}

export const insertJob = insertInto(JobEntity, [...omitNames(jobColumns, 'asked', 'attempts'), 'leasedUntil']);

/**
 * A `leasedUntil` that is not a lease: the job can be claimed, but not by release 0.1.0, which mistakes this value for
 * a lease. Can be removed together with the triggers of migration 0006.
 */
export const reservedUntil = Number.MAX_SAFE_INTEGER;
export const isReserved = `job_group = '${missingEmbeddings}'`;

/** Returns the row of a job. The task is stored in columns, so that a profile's emails can be found. */
export const toJobRow = ({ id, task, group, dueAt }: NewJob) => ({
  ...emptyTask,
  ...task,
  id,
  jobGroup: group,
  dueAt,
  leasedUntil: group === missingEmbeddings ? reservedUntil : null,
});

/** Returns the job in a row. Throws if the row lacks a field that a task of its kind needs. */
export const jobOf = ({ id, jobGroup, dueAt, attempts, ...task }: JobRow): Job => ({
  id,
  task: taskOf(task),
  group: jobGroup,
  dueAt,
  attempts,
});

export const deadLetterOf = ({ dueAt, sealed, error, ...job }: DeadLetterRow): DeadLetter => ({
  ...job,
  error: error ?? '',
  since: dueAt,
  secretRemoved: sealed !== null,
});

const emptyTask = {
  profileId: null,
  collectionId: null,
  sealed: null,
  reason: null,
  requestId: null,
  callId: null,
  webhookId: null,
  event: null,
  content: null,
};

type TaskColumns = Omit<JobRow, 'id' | 'jobGroup' | 'dueAt' | 'attempts'>;

const taskOf = ({
  kind,
  profileId,
  collectionId,
  sealed,
  reason,
  requestId,
  callId,
  webhookId,
  event,
  content,
  asked: requestCount,
}: TaskColumns): JobTask => {
  switch (kind) {
    case 'mail.credentials':
    case 'mail.rotation':
      return { kind, profileId: requireValue(profileId), sealed: requireValue(sealed) };
    case 'mail.rejection':
    case 'mail.suspension':
      return { kind, profileId: requireValue(profileId), reason };
    case 'mail.resumption':
    case 'mail.expiry':
    case 'mail.expiries':
      return { kind, profileId: requireValue(profileId) };
    case 'mail.request':
      return { kind, profileId: requireValue(profileId), requestId: requireValue(requestId) };
    case 'mail.call':
      return { kind, profileId: requireValue(profileId), callId: requireValue(callId) };
    case 'mail.notice':
      return { kind, profileId: requireValue(profileId), requestCount };
    case 'webhook':
      return {
        kind,
        webhookId: requireValue(webhookId),
        event: requireValue(event),
        content: requireValue(content),
      };
    case 'embed':
    case 'operations':
      return { kind, collectionId: requireValue(collectionId) };
  }
};

const requireValue = <T>(value: T | null): T => {
  if (value === null) throw new Error('A job in the database lacks part of its task.');
  return value;
};
