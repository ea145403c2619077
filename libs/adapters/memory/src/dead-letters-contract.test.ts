import { deadLettersContract, noEffects } from '@portico/contracts';
import { breachesOf, changing, restoring, restoringPart } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { StoredJob } from './memory-database.ts';

const { discard, list, requeue, requeueAll, requeueEach } = breachesOf('deadLetters');

/** Requeues that store a changed job. */
const requeuing = (alter: (after: StoredJob, before: StoredJob) => StoredJob) =>
  requeue.leaving(({ jobs }, [id]) => restoringPart(jobs, id, alter));

proveStores('the memory dead letters', deadLettersContract, {
  'a dead letter says what it was for, how often it failed, why and since when, and no secret': list.returning((jobs) =>
    jobs.map((job) => ({ ...job, attempts: job.attempts - 1 })),
  ),
  'a dead letter names the profile or the collection that it is about, unless that is gone': list.returning((jobs) =>
    jobs.map((job) => ({ ...job, collectionName: null })),
  ),
  'dead letters are listed page by page, each after the place of the last one before': list.instead(
    async ([limit, after = null], right) =>
      (await right.list(99)).filter(({ since }) => after === null || since < after.since).slice(0, limit),
  ),
  'dead letters are listed newest first, up to the limit': list.returning((jobs) => jobs.toReversed()),
  'a job that waits, is leased or is postponed is not listed as a dead letter': list.instead(
    async (_asked, _right, { jobs }) =>
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
  'a requeued job is due at once, as if it had never failed, and no other is': requeuing((after, before) => ({
    ...after,
    job: { ...after.job, attempts: before.job.attempts },
  })),
  'a requeue leaves alone a job that is gone or not a dead letter': requeue.preceded(({ jobs }, [id, now]) => {
    const stored = jobs.get(id);
    if (stored) jobs.set(id, { ...stored, job: { ...stored.job, dueAt: now }, leaseUntil: null });
  }),
  'a requeue leaves alone a job whose secret was removed': requeue.followed(({ jobs }, [id]) =>
    changing(jobs, id, { isDeadLetter: false }),
  ),
  'a requeue of several says what became of each, and decides on those that it requeues': requeueEach.misleading(
    (_seen, [ids]) => [[...ids]],
  ),
  'a requeue of several rethrows what its decision throws, and requeues none': requeueEach.instead(
    async ([ids, now, decide], right) => {
      const outcomes = await right.requeueEach(ids, now, () => noEffects);
      decide([...ids]);
      return outcomes;
    },
  ),
  'of concurrent requeues of one job, exactly one succeeds': requeue.racing(({ jobs }, [id]) =>
    restoring(jobs, (key) => key === id),
  ),
  'a requeue of all requeues every job that can still be done, and returns how many': requeueAll.instead(
    async ([now], right) => {
      const [job] = await right.list(1);
      return job && (await right.requeue(job.id, now, noEffects)) === 'requeued' ? 1 : 0;
    },
  ),
  'a requeued job of a re-index waits again and no longer counts as failed': requeuing((after) => ({
    ...after,
    job: { ...after.job, group: null },
  })),
  'only a dead letter can be discarded': discard.instead(async ([id], _right, _database, { outbox }) => {
    await outbox.done(id);
    return true;
  }),
  'a requeue of one dead letter writes its effects, and none if it leaves the job alone': requeue.instead(
    async ([id, now, effects], right, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return right.requeue(id, now, noEffects);
    },
  ),
  'a requeue of all decides on the number of jobs, and does not decide if there are none': requeueAll.instead(
    async ([now, decide], right, _database, { audit }) => {
      const count = await right.requeueAll(now, () => noEffects);
      for (const entry of decide(count).entries ?? []) await audit.append(entry, null);
      return count;
    },
  ),
  'a requeue of all rethrows what its decision throws, and requeues none': requeueAll.instead(
    async ([now, decide], right) => {
      const count = await right.requeueAll(now, () => noEffects);
      decide(count);
      return count;
    },
  ),
  'a discard writes its effects, and none if there is no dead letter': discard.withoutEffects(),
});
