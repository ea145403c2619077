import { noEffects, outboxContract, start } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { breachesOf, breakPort, updateEntry, pause, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

const {
  claim,
  countByKind,
  deadLetter,
  complete,
  listDue,
  extend,
  reseal,
  restNotice,
  retry,
  listSealed,
  readState,
  onWritten,
} = breachesOf('outbox');
const { enqueue } = breachesOf('embeddingJobs');
const { add } = breachesOf('profiles');

/** Returns exactly those jobs as due that pass the test. */
const listDueIf = (isMatch: (storedJob: StoredJob, now: number) => boolean) =>
  listDue.replaceWith(async ([kind, now], _original, { jobs }) =>
    [...jobs.values()]
      .filter((storedJob) => storedJob.job.task.kind === kind && isMatch(storedJob, now))
      .map(({ job }) => job.id),
  );

/** Makes some claims succeed although they must fail. */
const claimIfMissing = (mayClaim: (database: MemoryDatabase, id: JobId) => Job | undefined) =>
  claim.replaceWith(
    async ([id, now, leaseUntil], original, database) =>
      (await original.claim(id, now, leaseUntil)) ?? mayClaim(database, id) ?? null,
  );

/** Changes the returned state. */
const mapState = (alter: (state: State, database: MemoryDatabase, now: number) => Partial<State>) =>
  readState.mapResult((state, [now], database) => ({ ...state, ...alter(state, database, now) }));

/** Changes the existing notices after a job is enqueued. */
const changeNotices = (alter: (before: StoredJob, after: StoredJob) => StoredJob) =>
  enqueue.restoreAfter(({ jobs }) => {
    const notices = [...jobs].filter(([, { job }]) => job.task.kind === 'mail.notice');
    const restoreNotices = notices.map(([id]) => saveEntry(jobs, id, (after, before) => alter(before, after)));
    return () => restoreNotices.forEach((restore) => restore());
  });

type State = Awaited<ReturnType<Outbox['readState']>>;

proveStores('the memory outbox', outboxContract, {
  'jobs are due from their due time on': listDueIf(({ job }, now) => job.dueAt < now),
  'due jobs of a kind are returned up to the limit, those that have been due longest first': listDueIf(
    ({ job }, now) => job.dueAt <= now,
  ),
  'only due jobs of the requested kind are returned': listDue.mapArguments(([kind, now, limit]) => [
    kind === 'mail.rejection' ? 'mail.credentials' : kind,
    now,
    limit,
  ]),
  'a leased job is not due': listDueIf(({ job }, now) => job.dueAt <= now),
  'a job whose lease has expired is due again': listDueIf(({ leaseUntil }) => leaseUntil === null),
  'claiming returns a job of any kind exactly as it was written': claim.mapResult((job) =>
    job?.task.kind === 'mail.rejection' ? { ...job, task: { ...job.task, reason: job.task.reason ?? '' } } : job,
  ),
  'a job that no longer exists cannot be claimed': breakPort('outbox', (original) => {
    const claimedJobs = new Map<JobId, Job>();
    return {
      complete: async (id) => {
        const job = await original.claim(id, Infinity, Infinity);
        if (job) claimedJobs.set(id, job);
        await original.complete(id);
      },
      claim: async (id, now, leaseUntil) => (await original.claim(id, now, leaseUntil)) ?? claimedJobs.get(id) ?? null,
    };
  }),
  'a job that is not due cannot be claimed': claimIfMissing(({ jobs }, id) => jobs.get(id)?.job),
  'a leased job cannot be claimed': claim.runBefore(({ jobs }, [id]) => updateEntry(jobs, id, { leaseUntil: null })),
  'a job whose lease has expired can be claimed, and is leased again': claim.restoreAfter(({ jobs }, [id]) => {
    const restore = saveEntries(jobs, (key, { leaseUntil }) => key === id && leaseUntil !== null);
    return (job) => job && restore();
  }),
  'a lease can be extended and shortened': extend.replaceWith(async () => true),
  'a lease cannot be extended once the job is leased again, free, given up or done': extend.replaceWith(
    async ([id, , newLeaseUntil], original, { jobs }) => {
      const leaseUntil = jobs.get(id)?.leaseUntil;
      return leaseUntil != null && original.extend(id, leaseUntil, newLeaseUntil);
    },
  ),
  'when the same job is claimed concurrently, only one call succeeds': claim.runOnStaleState(({ jobs }, [id]) =>
    saveEntries(jobs, (key) => key === id),
  ),
  'finishing a job removes only that job': complete.replaceWith(async (_args, _original, { jobs }) => jobs.clear()),
  'finishing, postponing or giving up a job that no longer exists changes nothing': retry.runBefore(
    ({ jobs }, [id]) => {
      if (!jobs.has(id)) throw new Error(`There is no job ${id}.`);
    },
  ),
  'postponing a job releases its lease and makes it due at the given time': retry.restoreAfter(({ jobs }, [id]) =>
    saveEntry(jobs, id, (after, { leaseUntil }) => ({ ...after, leaseUntil })),
  ),
  'each retry adds one attempt': claim.mapResult((job) => job && { ...job, attempts: Math.min(job.attempts, 1) }),
  'a second notice for a profile is not added, but increases the request count of the first': changeNotices(
    (before) => before,
  ),
  'when notices for a profile are added concurrently, only one is added, and it counts every request':
    enqueue.runOnStaleState(({ jobs }) => {
      const idsBefore = new Set(jobs.keys());
      return () => [...jobs.keys()].filter((id) => !idsBefore.has(id)).forEach((id) => jobs.delete(id));
    }),
  'a second notice also increases the request count of a notice that is leased, postponed or given up': changeNotices(
    (before, after) => (before.leaseUntil === null ? after : before),
  ),
  'a resting notice continues under its next id with the requests since it was claimed, as if it had never failed':
    restNotice.mapArguments(([claimedJob, next]) => [
      { ...claimedJob, task: { ...claimedJob.task, requestCount: 0 } },
      next,
    ]),
  'a resting notice is neither due nor waiting until it is requested': mapState((_state, { jobs }) => ({
    waiting: jobs.size,
  })),
  'resting ignores a notice that no longer exists or was given up': restNotice.runBefore(({ jobs }, [{ id }]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'a dead letter is never due again and cannot be claimed': deadLetter.replaceWith(([id, , error], original) =>
    original.retry(id, 0, error),
  ),
  'a dead letter is kept in the store': deadLetter.replaceWith(([id], original) => original.complete(id)),
  'giving up a dead letter again changes nothing': deadLetter.runBefore(({ jobs }, [id]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'only the sealed secrets of waiting jobs are listed, including leased and postponed ones': listSealed.replaceWith(
    async (_args, _original, { jobs }) =>
      [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ id, sealed: task.sealed }] : [])),
  ),
  'the jobs of a change are reported once they are durable': enqueue.replaceWith(
    async ([effects], original, database) => {
      if (effects.jobs?.length) database.onJobsWritten(effects.jobs);
      await pause();
      const listener = database.onJobsWritten;
      database.onJobsWritten = () => undefined;
      await original.enqueue(effects);
      database.onJobsWritten = listener;
    },
  ),
  'the jobs of a change that fails are not reported': add.runBefore(({ onJobsWritten }, [, effects]) =>
    onJobsWritten(effects.jobs ?? []),
  ),
  'only the last callback is called': onWritten.replaceWith(([listener], original, database) => {
    const listenerBefore = database.onJobsWritten;
    original.onWritten((jobs) => {
      listenerBefore(jobs);
      listener(jobs);
    });
  }),
  'resealing a job changes nothing else': reseal.runBefore(({ jobs }, [id]) =>
    updateEntry(jobs, id, { leaseUntil: null }),
  ),
  'resealing writes its effects, unless nothing is resealed': reseal.replaceWith(
    async ([id, before, after, effects], original, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return original.reseal(id, before, after, noEffects);
    },
  ),
  'a job that no longer exists, was given up or is sealed differently is not resealed': reseal.replaceWith(
    async ([id, before, after, effects], original) => {
      const now = (await original.listSealed()).find((job) => job.id === id)?.sealed;
      return original.reseal(id, now ?? before, after, effects);
    },
  ),
  'every job that is not a dead letter is waiting, including leased and postponed ones': mapState(
    (_state, { jobs }) => ({
      waiting: [...jobs.values()].filter(({ leaseUntil }) => leaseUntil === null).length,
    }),
  ),
  'the state shows when the job that has been due longest became due': mapState((_state, { jobs }) => ({
    oldestDueAt: Math.min(...[...jobs.values()].map(({ job }) => job.dueAt)),
  })),
  'the state shows null if no job is due': mapState(({ oldestDueAt }, _database, now) => ({
    oldestDueAt: oldestDueAt ?? now,
  })),
  'jobs are counted by kind as waiting, running, retrying or given up, with the earliest due time':
    // A job whose lease has expired still counts as running.
    countByKind.mapArguments(() => [start + 9]),
  'a resting notice is not counted': countByKind.replaceWith(async (_args, _original, { jobs }) =>
    [...jobs.values()].map(({ job }) => ({
      ...{ kind: job.task.kind, waiting: 1, running: 0, retrying: 0, nextRetryAt: null },
      ...{ deadLetters: 0, oldestDueAt: null },
    })),
  ),
});
