import { deadLettersContract, noEffects } from '@portico/contracts';
import { breachesOf, updateEntry, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { StoredJob } from './memory-database.ts';

const { discard, list, requeue, requeueAll, requeueEach } = breachesOf('deadLetters');

/** Changes the stored job after a requeue. */
const mapRequeuedJob = (alter: (after: StoredJob, before: StoredJob) => StoredJob) =>
  requeue.restoreAfter(({ jobs }, [id]) => saveEntry(jobs, id, alter));

proveStores('the memory dead letters', deadLettersContract, {
  'a dead letter has its purpose, its attempts, its error and its time, but no secret': list.mapResult((jobs) =>
    jobs.map((job) => ({ ...job, attempts: job.attempts - 1 })),
  ),
  'a dead letter names the profile or the collection that it is about, unless that was removed': list.mapResult(
    (jobs) => jobs.map((job) => ({ ...job, collectionName: null })),
  ),
  'dead letters are listed page by page, each page after the last dead letter of the previous one': list.replaceWith(
    async ([limit, after = null], original) =>
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
  'a requeued job is due immediately, as if it had never failed, and no other job is': mapRequeuedJob(
    (after, before) => ({
      ...after,
      job: { ...after.job, attempts: before.job.attempts },
    }),
  ),
  'a requeue ignores a job that does not exist or is not a dead letter': requeue.runBefore(({ jobs }, [id, now]) => {
    const stored = jobs.get(id);
    if (stored) jobs.set(id, { ...stored, job: { ...stored.job, dueAt: now }, leaseUntil: null });
  }),
  'a requeue ignores a job whose secret was removed': requeue.runAfter(({ jobs }, [id]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'a requeue of several returns the outcome of each, and decides on the requeued ones': requeueEach.mapDecisionInput(
    (_seen, [ids]) => [[...ids]],
  ),
  'a requeue of several rethrows an error from the decision and requeues none': requeueEach.replaceWith(
    async ([ids, now, decide], original) => {
      const outcomes = await original.requeueEach(ids, now, () => noEffects);
      decide([...ids]);
      return outcomes;
    },
  ),
  'of concurrent requeues of one job, exactly one succeeds': requeue.runOnStaleState(({ jobs }, [id]) =>
    saveEntries(jobs, (key) => key === id),
  ),
  'a requeue of all requeues every job that can still be done, and returns their number': requeueAll.replaceWith(
    async ([now], original) => {
      const [job] = await original.list(1);
      return job && (await original.requeue(job.id, now, noEffects)) === 'requeued' ? 1 : 0;
    },
  ),
  'a requeued job of a re-index is waiting again and no longer counts as failed': mapRequeuedJob((after) => ({
    ...after,
    job: { ...after.job, group: null },
  })),
  'only a dead letter can be discarded': discard.replaceWith(async ([id], _original, _database, { outbox }) => {
    await outbox.done(id);
    return true;
  }),
  'a requeue of one dead letter writes its effects, and none if it ignores the job': requeue.replaceWith(
    async ([id, now, effects], original, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return original.requeue(id, now, noEffects);
    },
  ),
  'a requeue of all decides on the number of jobs, and does not decide if there are none': requeueAll.replaceWith(
    async ([now, decide], original, _database, { audit }) => {
      const count = await original.requeueAll(now, () => noEffects);
      for (const entry of decide(count).entries ?? []) await audit.append(entry, null);
      return count;
    },
  ),
  'a requeue of all rethrows an error from the decision and requeues none': requeueAll.replaceWith(
    async ([now, decide], original) => {
      const count = await original.requeueAll(now, () => noEffects);
      decide(count);
      return count;
    },
  ),
  'a discard writes its effects, and none if there is no dead letter': discard.withoutEffects(),
});
