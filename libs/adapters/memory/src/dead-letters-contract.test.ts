import { deadLettersContract, noEffects } from '@portico/contracts';
import { breachesOf, updateEntry, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { StoredJob } from './memory-database.ts';

const { discard, list, requeue, requeueAll, requeueEach } = breachesOf('deadLetters');

/** Changes the stored job after a requeue. */
const mapRequeuedJob = (alter: (after: StoredJob, before: StoredJob) => StoredJob) =>
  requeue.restoreAfter(({ jobs }, [id]) => saveEntry(jobs, id, alter));

proveStores('the memory dead letters', deadLettersContract, {
  'a dead letter has a purpose, a number of attempts, an error and a time, but no secret': list.mapResult((jobs) =>
    jobs.map((job) => ({ ...job, attempts: job.attempts - 1 })),
  ),
  'a dead letter names its profile or its collection unless it was removed': list.mapResult((jobs) =>
    jobs.map((job) => ({ ...job, collectionName: null })),
  ),
  'dead letters are listed page by page, and each page starts after the last dead letter of the previous page':
    list.replaceWith(async ([limit, after = null], original) =>
      (await original.list(99)).filter(({ since }) => after === null || since < after.since).slice(0, limit),
    ),
  'dead letters are listed newest first, up to the limit': list.mapResult((jobs) => jobs.toReversed()),
  'a waiting, leased or postponed job is not listed as a dead letter': list.replaceWith(
    async (_args, _original, { jobs }) =>
      [...jobs.values()]
        .filter(({ error }) => error !== null)
        .map(({ job: { id, task, attempts, dueAt }, error }) => ({
          id,
          kind: task.kind,
          profileId: null,
          profileEmail: null,
          collectionId: null,
          collectionName: null,
          attempts,
          error: error ?? '',
          since: dueAt,
          secretRemoved: false,
        })),
  ),
  'a requeued job is due immediately as if it had never failed, and other jobs are not changed': mapRequeuedJob(
    (after, before) => ({
      ...after,
      job: { ...after.job, attempts: before.job.attempts },
    }),
  ),
  'requeueing ignores a job that does not exist or is not a dead letter': requeue.runBefore(({ jobs }, [id, now]) => {
    const storedJob = jobs.get(id);
    if (storedJob) jobs.set(id, { ...storedJob, job: { ...storedJob.job, dueAt: now }, leaseUntil: null });
  }),
  'requeueing ignores a job whose secret was removed': requeue.runAfter(({ jobs }, [id]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'requeueing several jobs returns the outcome of each, and passes the requeued ones to the decision':
    requeueEach.mapDecisionInput((_requeuedIds, [ids]) => [[...ids]]),
  'requeueing several jobs rethrows an error from the decision and requeues none': requeueEach.replaceWith(
    async ([ids, now, decide], original) => {
      const outcomes = await original.requeueEach(ids, now, () => noEffects);
      decide([...ids]);
      return outcomes;
    },
  ),
  'when the same job is requeued concurrently, only one call succeeds': requeue.runOnStaleState(({ jobs }, [id]) =>
    saveEntries(jobs, (key) => key === id),
  ),
  'requeueing all requeues every job that can still be done, and returns the number of these jobs':
    requeueAll.replaceWith(async ([now], original) => {
      const [job] = await original.list(1);
      return job && (await original.requeue(job.id, now, noEffects)) === 'requeued' ? 1 : 0;
    }),
  'a requeued job of a re-index counts as waiting again, not as failed': mapRequeuedJob((after) => ({
    ...after,
    job: { ...after.job, group: null },
  })),
  'only a dead letter can be discarded': discard.replaceWith(async ([id], _original, _database, { outbox }) => {
    await outbox.complete(id);
    return true;
  }),
  'requeueing a dead letter writes its effects, unless the job is ignored': requeue.replaceWith(
    async ([id, now, effects], original, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return original.requeue(id, now, noEffects);
    },
  ),
  'requeueing all passes the number of jobs to the decision, and does not call it if there are none':
    requeueAll.replaceWith(async ([now, decide], original, _database, { audit }) => {
      const count = await original.requeueAll(now, () => noEffects);
      for (const entry of decide(count).entries ?? []) await audit.append(entry, null);
      return count;
    }),
  'requeueing all rethrows an error from the decision and requeues none': requeueAll.replaceWith(
    async ([now, decide], original) => {
      const count = await original.requeueAll(now, () => noEffects);
      decide(count);
      return count;
    },
  ),
  'discarding writes its effects, unless there is no dead letter': discard.dropEffects(),
});
