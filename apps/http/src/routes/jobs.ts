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
import { json } from '../responses/route-response.ts';
import { jobId, numberParameter, optional } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { jobCursor, jobCursorOf } from './job-cursor.ts';
import { isoOrNull, jobIdOf, jobParameter, message, nextPage, timestamp, uuid } from './wire.ts';

const counts = {
  waiting: z.int().meta({ description: 'Not started and never failed, due or not.' }),
  running: z.int().meta({ description: 'In progress.' }),
  retrying: z.int().meta({ description: 'They failed, and await their next attempt.' }),
  dead: z.int().meta({ description: 'Given up: dead letters.' }),
  next_retry_at: timestamp.nullable().meta({ description: 'When the next retry is due; null if none.' }),
  oldest_due_at: timestamp.nullable().meta({ description: 'When the oldest due job became due; null if none.' }),
};
const jobs = z
  .object({
    ...counts,
    oldest_due_seconds: z.int().meta({ description: 'Its age; 0 if none is due.' }),
    runs_here: z.boolean().nullable().meta({
      description: 'Whether the responding process runs jobs; others may in any case. null if unknown.',
    }),
    seems_stopped: z.boolean().meta({
      description: 'Whether a job has been due for over 15 minutes: no process seems to run jobs.',
    }),
    kinds: z
      .array(z.object({ kind: z.string().meta({ examples: ['mail.credentials'] }), ...counts }))
      .meta({ description: 'The same by kind; only kinds with jobs, mails first.' }),
  })
  .meta({ id: 'Jobs' });
const deadLetter = z
  .object({
    id: uuid,
    kind: z.string().meta({ examples: ['mail.credentials'] }),
    profile_id: uuid.nullable().meta({ description: 'The recipient of a mail; else null.' }),
    profile_email: z.string().nullable().meta({ description: 'Also null if it was deleted.' }),
    collection_id: uuid.nullable().meta({ description: 'Of an embedding; else null.' }),
    collection_name: z.string().nullable().meta({ description: 'Also null if it was deleted.' }),
    attempts: z.int().meta({ description: 'Failed attempts.' }),
    error: z.string().meta({ description: 'Of the last attempt: one line, at most 1,000 characters.' }),
    given_up_at: timestamp,
    retryable: z.boolean().meta({
      description:
        'Whether it can be retried: not if it had a secret, which is removed when a job is given up. Its client then needs new ' +
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
            description: '`not_given_up`: there is no such dead letter. `secret_removed`: it can only be discarded.',
          }),
        }),
      )
      .meta({ description: 'One for each of `ids`, in their order; empty without them.' }),
  })
  .meta({ id: 'JobRetryOutcomes' });

const path = '/api/jobs/dead';

export const jobRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/jobs',
    operation: 'readJobs',
    summary: 'Count the background jobs',
    description: 'Mails, and embedding for search: in all processes that use the database, by kind and state.',
    auth: 'admin',
    scope: null,
    status: 200,
    response: jobs,
    handler: async ({ useCases, caller, service }) =>
      json(jobsView(await useCases.readJobs(caller.authority), service.runsJobs)),
  }),
  defineRoute({
    method: 'GET',
    path,
    operation: 'listDeadLetters',
    summary: 'List the jobs that were given up',
    description: 'Dead letters: they failed for good, or too often. Newest first. The `Link` header has the next page.',
    auth: 'admin',
    scope: null,
    query: z.object({
      limit: numberParameter(1, 1_000).default(100).meta({ description: 'The page size.' }),
      cursor: jobCursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
    }),
    status: 200,
    supplies: { job_id: '$response.body#/0/id' },
    response: z.array(deadLetter),
    handler: async ({ useCases, caller, query: { limit, cursor = null } }) => {
      // One more than the page size, to see whether there is a next page.
      const deadLetters = await useCases.pageDeadLetters(caller.authority, limit + 1, cursor);
      const last = deadLetters.length > limit ? deadLetters[limit - 1] : undefined;
      const headers = last ? nextPage(path, { limit: `${limit}`, cursor: jobCursorOf(last) }) : {};
      return json(deadLetters.slice(0, limit).map(deadLetterView), headers);
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/retry`,
    operation: 'retryJobs',
    summary: 'Retry jobs that were given up',
    description: `All that can be retried, or at most ${requeuesMax} by id, each with an outcome, in one change. They are due now.`,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: retries,
    status: 200,
    response: retryOutcomes,
    handler: async ({ useCases, caller: { authority }, body: { fields } }) => {
      const each = fields.ids ? await useCases.requeueEach(authority, new Set(fields.ids)) : null;
      const requeued = each
        ? [...each.values()].filter((outcome) => outcome === 'requeued').length
        : await useCases.requeueJobs(authority);
      const { deadLetters: left } = await useCases.readOutboxState();
      return json({ requeued, left, outcomes: outcomesView(each ?? new Map()) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/:job_id/retry`,
    operation: 'retryJob',
    summary: 'Retry a job that was given up',
    description: 'It is due now, as if it had never failed.',
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
      return json({ message: 'Job requeued' });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/:job_id`,
    operation: 'discardJob',
    summary: 'Discard a job that was given up',
    description: 'It is removed and never run.',
    params: jobParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['job_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const isDiscarded = await useCases.discardJob(caller.authority, jobIdOf(params.job_id));
      if (!isDiscarded) throw new PorticoError('job_not_found');
      return json({ message: 'Job discarded' });
    },
  }),
] as const;

const jobsView = (from: JobOverview, runsHere: boolean | null): z.input<typeof jobs> => {
  const sumOf = (count: 'waiting' | 'running' | 'retrying' | 'deadLetters') =>
    from.kinds.reduce((sum, kind) => sum + kind[count], 0);
  return {
    waiting: sumOf('waiting'),
    running: sumOf('running'),
    retrying: sumOf('retrying'),
    dead: sumOf('deadLetters'),
    next_retry_at: isoOrNull(from.nextRetryAt),
    oldest_due_at: isoOrNull(from.oldestDueAt),
    oldest_due_seconds: from.oldestDueSeconds,
    runs_here: runsHere,
    seems_stopped: from.seemsStopped,
    kinds: from.kinds.map(kindView),
  };
};

const kindView = ({ kind, waiting, running, retrying, deadLetters, nextRetryAt, oldestDueAt }: JobCounts) => ({
  kind,
  waiting,
  running,
  retrying,
  dead: deadLetters,
  next_retry_at: isoOrNull(nextRetryAt),
  oldest_due_at: isoOrNull(oldestDueAt),
});

const deadLetterView = (from: DeadLetter): z.input<typeof deadLetter> => ({
  id: from.id,
  kind: from.kind,
  profile_id: from.profileId,
  profile_email: from.profileEmail,
  collection_id: from.collectionId,
  collection_name: from.collectionName,
  attempts: from.attempts,
  error: from.error,
  given_up_at: toIso(from.since),
  retryable: !from.secretRemoved,
});

const outcomesView = (each: ReadonlyMap<JobId, RequeueOutcome>): z.input<typeof retryOutcomes>['outcomes'] =>
  [...each].map(([id, outcome]) => ({ id, outcome: outcomes[outcome] }));
