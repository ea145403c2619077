import {
  PorticoError,
  requeuesMax,
  toIso,
  type DeadLetter,
  type JobCounts,
  type JobId,
  type JobOverview,
  type RequeueOutcome,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { jobId, numberParameter, optional } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { jobCursor, jobCursorOf } from './job-cursor.ts';
import { toIsoOrNull, jobIdOf, jobParameter, message, createNextPageLink, timestamp, uuid } from './wire.ts';

const counts = {
  waiting: z.int().meta({ description: 'Jobs that have not started and never failed, due or not.' }),
  running: z.int().meta({ description: 'Jobs in progress.' }),
  retrying: z.int().meta({ description: 'Jobs that failed and will be retried.' }),
  dead: z.int().meta({ description: 'Jobs that were given up (dead letters).' }),
  next_retry_at: timestamp.nullable().meta({ description: 'When the next retry is due; null if there is none.' }),
  oldest_due_at: timestamp
    .nullable()
    .meta({ description: 'When the oldest due job became due; null if no job is due.' }),
};
const jobs = z
  .object({
    ...counts,
    oldest_due_seconds: z.int().meta({ description: 'How long the oldest due job has been due; 0 if no job is due.' }),
    runs_here: z.boolean().nullable().meta({
      description: 'Whether the process that responds runs jobs; other processes may also run jobs. null if unknown.',
    }),
    seems_stopped: z.boolean().meta({
      description: 'Whether a job has been due for over 15 minutes: no process seems to run jobs.',
    }),
    kinds: z
      .array(z.object({ kind: z.string().meta({ examples: ['mail.credentials'] }), ...counts }))
      .meta({ description: 'The same counts for each kind that has jobs, emails first.' }),
  })
  .meta({ id: 'Jobs' });
const deadLetter = z
  .object({
    id: uuid,
    kind: z.string().meta({ examples: ['mail.credentials'] }),
    profile_id: uuid.nullable().meta({ description: 'The recipient of an email; null for other jobs.' }),
    profile_email: z.string().nullable().meta({ description: 'Also null if the profile was deleted.' }),
    collection_id: uuid.nullable().meta({ description: 'The collection to embed; null for other jobs.' }),
    collection_name: z.string().nullable().meta({ description: 'Also null if the collection was deleted.' }),
    attempts: z.int().meta({ description: 'Failed attempts.' }),
    error: z.string().meta({ description: 'The error of the last attempt: one line, at most 1,000 characters.' }),
    given_up_at: timestamp,
    retryable: z.boolean().meta({
      description:
        'Whether the job can be retried. A job with a secret cannot, because the secret is removed when the job is given up. The client then needs new ' +
        'credentials, and the job can be discarded.',
    }),
  })
  .meta({ id: 'DeadLetter' });

const retries = z
  .object({
    ids: optional(z.array(jobId).min(1, { error: 'must name at least one' }).max(requeuesMax)).meta({
      description: 'By default, all retryable jobs.',
      examples: [['9c8b7a69-5847-4635-8241-302f1e0d9c8b']],
    }),
  })
  .meta({ id: 'JobRetries' });
const outcomes = {
  requeued: 'requeued',
  'no dead letter': 'not_given_up',
  'secret removed': 'secret_removed',
} as const satisfies Record<RequeueOutcome, string>;
const retryOutcomes = z
  .object({
    requeued: z.int(),
    left: z.int().meta({ description: 'The number of remaining dead letters.' }),
    outcomes: z
      .array(
        z.object({
          id: uuid,
          outcome: z.enum(Object.values(outcomes)).meta({
            description:
              '`not_given_up`: there is no such dead letter. `secret_removed`: the job can only be discarded.',
          }),
        }),
      )
      .meta({ description: 'One outcome for each of `ids`, in the same order; empty if `ids` is absent.' }),
  })
  .meta({ id: 'JobRetryOutcomes' });

const path = '/api/jobs/dead';

export const jobRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/jobs',
    operation: 'readJobs',
    summary: 'Count the background jobs',
    description:
      'Emails, and embedding for search. Counts the jobs of all processes that use the database, by kind and state.',
    auth: 'admin',
    scope: null,
    status: 200,
    response: jobs,
    handler: async ({ useCases, caller, service }) =>
      toJsonResponse(toJobsView(await useCases.readJobs(caller.authority), service.runsJobs)),
  }),
  defineRoute({
    method: 'GET',
    path,
    operation: 'listDeadLetters',
    summary: 'List the jobs that were given up',
    description:
      'Dead letters: jobs that failed permanently or too often. Newest first. The `Link` header has the next page.',
    auth: 'admin',
    scope: null,
    query: z.object({
      limit: numberParameter(1, 1_000).default(100).meta({ description: 'The page size.' }),
      cursor: jobCursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
    }),
    status: 200,
    linkParameters: { job_id: '$response.body#/0/id' },
    response: z.array(deadLetter),
    handler: async ({ useCases, caller, query: { limit, cursor = null } }) => {
      // One more than the page size, to see whether there is a next page.
      const deadLetters = await useCases.pageDeadLetters(caller.authority, limit + 1, cursor);
      const last = deadLetters.length > limit ? deadLetters[limit - 1] : undefined;
      const headers = last ? createNextPageLink(path, { limit: `${limit}`, cursor: jobCursorOf(last) }) : {};
      return toJsonResponse(deadLetters.slice(0, limit).map(toDeadLetterView), headers);
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/retry`,
    operation: 'retryJobs',
    summary: 'Retry jobs that were given up',
    description: `Retries all jobs that can be retried, or at most ${requeuesMax} by id, in one transaction. With \`ids\`, returns an outcome for each. The jobs are due immediately.`,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: retries,
    status: 200,
    response: retryOutcomes,
    handler: async ({ useCases, caller: { authority }, body: { fields } }) => {
      const outcomeByJob = fields.ids ? await useCases.requeueEach(authority, new Set(fields.ids)) : null;
      const requeued = outcomeByJob
        ? [...outcomeByJob.values()].filter((outcome) => outcome === 'requeued').length
        : await useCases.requeueJobs(authority);
      const { deadLetters: remainingCount } = await useCases.readOutboxState();
      return toJsonResponse({ requeued, left: remainingCount, outcomes: toOutcomesView(outcomeByJob ?? new Map()) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/:job_id/retry`,
    operation: 'retryJob',
    summary: 'Retry a job that was given up',
    description: 'The job is due immediately, as if it had never failed.',
    params: jobParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['job_not_found', 'secret_removed'],
    handler: async ({ useCases, caller, params }) => {
      const outcome = await useCases.requeueJob(caller.authority, jobIdOf(params.job_id));
      if (outcome === 'no dead letter') throw new PorticoError('job_not_found');
      if (outcome === 'secret removed') throw new PorticoError('secret_removed');
      return toJsonResponse({ message: 'Job requeued' });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/:job_id`,
    operation: 'discardJob',
    summary: 'Discard a job that was given up',
    description: 'The job is removed and will never run.',
    params: jobParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['job_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const isDiscarded = await useCases.discardJob(caller.authority, jobIdOf(params.job_id));
      if (!isDiscarded) throw new PorticoError('job_not_found');
      return toJsonResponse({ message: 'Job discarded' });
    },
  }),
] as const;

const toJobsView = (overview: JobOverview, runsHere: boolean | null): z.input<typeof jobs> => {
  const sumOf = (count: 'waiting' | 'running' | 'retrying' | 'deadLetters') =>
    overview.kinds.reduce((sum, kind) => sum + kind[count], 0);
  return {
    waiting: sumOf('waiting'),
    running: sumOf('running'),
    retrying: sumOf('retrying'),
    dead: sumOf('deadLetters'),
    next_retry_at: toIsoOrNull(overview.nextRetryAt),
    oldest_due_at: toIsoOrNull(overview.oldestDueAt),
    oldest_due_seconds: overview.oldestDueSeconds,
    runs_here: runsHere,
    seems_stopped: overview.seemsStopped,
    kinds: overview.kinds.map(toKindView),
  };
};

const toKindView = ({ kind, waiting, running, retrying, deadLetters, nextRetryAt, oldestDueAt }: JobCounts) => ({
  kind,
  waiting,
  running,
  retrying,
  dead: deadLetters,
  next_retry_at: toIsoOrNull(nextRetryAt),
  oldest_due_at: toIsoOrNull(oldestDueAt),
});

const toDeadLetterView = (row: DeadLetter): z.input<typeof deadLetter> => ({
  id: row.id,
  kind: row.kind,
  profile_id: row.profileId,
  profile_email: row.profileEmail,
  collection_id: row.collectionId,
  collection_name: row.collectionName,
  attempts: row.attempts,
  error: row.error,
  given_up_at: toIso(row.since),
  retryable: !row.secretRemoved,
});

const toOutcomesView = (outcomeByJob: ReadonlyMap<JobId, RequeueOutcome>): z.input<typeof retryOutcomes>['outcomes'] =>
  [...outcomeByJob].map(([id, outcome]) => ({ id, outcome: outcomes[outcome] }));
