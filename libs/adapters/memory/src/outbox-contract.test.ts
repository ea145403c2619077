import { noEffects, outboxContract, start } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { breachesOf, breakPort, updateEntry, pause, saveEntries, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

const { claim, counts, deadLetter, done, due, extend, reseal, rest, retry, sealed, state, onWritten } =
  breachesOf('outbox');
const { enqueue } = breachesOf('embeddingJobs');
const { add } = breachesOf('profiles');

/** Returns exactly those jobs as due that pass the test. */
const dueIf = (passes: (stored: StoredJob, now: number) => boolean) =>
  due.replaceWith(async ([kind, now], _original, { jobs }) =>
    [...jobs.values()]
      .filter((stored) => stored.job.task.kind === kind && passes(stored, now))
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
  state.mapResult((state, [now], database) => ({ ...state, ...alter(state, database, now) }));

/** Changes the existing notices after a job is enqueued. */
const changeNotices = (alter: (before: StoredJob, after: StoredJob) => StoredJob) =>
  enqueue.restoreAfter(({ jobs }) => {
    const notices = [...jobs].filter(([, { job }]) => job.task.kind === 'mail.notice');
    const restores = notices.map(([id]) => saveEntry(jobs, id, (after, before) => alter(before, after)));
    return () => restores.forEach((restore) => restore());
  });

type State = Awaited<ReturnType<Outbox['state']>>;

proveStores('the memory outbox', outboxContract, {
  'jobs are due from their due time on': dueIf(({ job }, now) => job.dueAt < now),
  'due jobs of a kind are returned longest due first, up to the limit': dueIf(({ job }, now) => job.dueAt <= now),
  'due jobs are only those of the requested kind': due.mapArguments(([kind, now, limit]) => [
    kind === 'mail.rejection' ? 'mail.credentials' : kind,
    now,
    limit,
  ]),
  'a job that is leased is not due': dueIf(({ job }, now) => job.dueAt <= now),
  'a job whose lease has expired is due again': dueIf(({ leaseUntil }) => leaseUntil === null),
  'a claim returns the job as it was written, for every kind': claim.mapResult((job) =>
    job?.task.kind === 'mail.rejection' ? { ...job, task: { ...job.task, reason: job.task.reason ?? '' } } : job,
  ),
  'a job that no longer exists cannot be claimed': breakPort('outbox', (original) => {
    const claimed = new Map<JobId, Job>();
    return {
      done: async (id) => {
        const job = await original.claim(id, Infinity, Infinity);
        if (job) claimed.set(id, job);
        await original.done(id);
      },
      claim: async (id, now, leaseUntil) => (await original.claim(id, now, leaseUntil)) ?? claimed.get(id) ?? null,
    };
  }),
  'a job that is not due cannot be claimed': claimIfMissing(({ jobs }, id) => jobs.get(id)?.job),
  'a leased job cannot be claimed': claim.runBefore(({ jobs }, [id]) => updateEntry(jobs, id, { leaseUntil: null })),
  'a job whose lease has expired can be claimed, and is leased again': claim.restoreAfter(({ jobs }, [id]) => {
    const restore = saveEntries(jobs, (key, { leaseUntil }) => key === id && leaseUntil !== null);
    return (job) => job && restore();
  }),
  'a lease can be extended, and shortened': extend.replaceWith(async () => true),
  'a lease is not extended once the job is leased again, free, given up or done': extend.replaceWith(
    async ([id, , nextUntil], original, { jobs }) => {
      const leaseUntil = jobs.get(id)?.leaseUntil;
      return leaseUntil != null && original.extend(id, leaseUntil, nextUntil);
    },
  ),
  'of concurrent claims of one job, exactly one succeeds': claim.runOnStaleState(({ jobs }, [id]) =>
    saveEntries(jobs, (key) => key === id),
  ),
  'a job that is done is removed, and no other': done.replaceWith(async (_args, _original, { jobs }) => jobs.clear()),
  'finishing, postponing or giving up a job that no longer exists does nothing': retry.runBefore(({ jobs }, [id]) => {
    if (!jobs.has(id)) throw new Error(`There is no job ${id}.`);
  }),
  'a postponed job releases its lease and is due at the given time': retry.restoreAfter(({ jobs }, [id]) =>
    saveEntry(jobs, id, (after, { leaseUntil }) => ({ ...after, leaseUntil })),
  ),
  'each retry counts one attempt': claim.mapResult((job) => job && { ...job, attempts: Math.min(job.attempts, 1) }),
  'a second notice for a profile is not added: the first counts one more request': changeNotices((before) => before),
  'of notices added concurrently for one profile, one is added and counts every request': enqueue.runOnStaleState(
    ({ jobs }) => {
      const before = new Set(jobs.keys());
      return () => [...jobs.keys()].filter((id) => !before.has(id)).forEach((id) => jobs.delete(id));
    },
  ),
  'a notice that is leased, postponed or given up also counts one more request': changeNotices((before, after) =>
    before.leaseUntil === null ? after : before,
  ),
  'a resting notice continues under its next id, with the requests since its claim, as if it had never failed':
    rest.mapArguments(([claimed, next]) => [{ ...claimed, task: { ...claimed.task, requestCount: 0 } }, next]),
  'a resting notice is neither due nor waiting until it is requested': mapState((_state, { jobs }) => ({
    waiting: jobs.size,
  })),
  'a rest ignores a notice that no longer exists or was given up': rest.runBefore(({ jobs }, [{ id }]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'a dead letter is never due again and cannot be claimed': deadLetter.replaceWith(([id, , error], original) =>
    original.retry(id, 0, error),
  ),
  'a dead letter stays in the store': deadLetter.replaceWith(([id], original) => original.done(id)),
  'giving up a dead letter again changes nothing': deadLetter.runBefore(({ jobs }, [id]) =>
    updateEntry(jobs, id, { isDeadLetter: false }),
  ),
  'the sealed secrets of waiting jobs are listed, including leased and postponed ones, and no others':
    sealed.replaceWith(async (_args, _original, { jobs }) =>
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
    const before = database.onJobsWritten;
    original.onWritten((jobs) => {
      before(jobs);
      listener(jobs);
    });
  }),
  'a resealed job is otherwise unchanged': reseal.runBefore(({ jobs }, [id]) =>
    updateEntry(jobs, id, { leaseUntil: null }),
  ),
  'resealing writes its effects, and none if nothing is resealed': reseal.replaceWith(
    async ([id, before, after, effects], original, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return original.reseal(id, before, after, noEffects);
    },
  ),
  'a job that no longer exists, was given up or is sealed differently is not resealed': reseal.replaceWith(
    async ([id, before, after, effects], original) => {
      const now = (await original.sealed()).find((job) => job.id === id)?.sealed;
      return original.reseal(id, now ?? before, after, effects);
    },
  ),
  'every job that is not a dead letter is waiting, including leased and postponed ones': mapState(
    (_state, { jobs }) => ({
      waiting: [...jobs.values()].filter(({ leaseUntil }) => leaseUntil === null).length,
    }),
  ),
  'the state shows since when the longest due job has been due': mapState((_state, { jobs }) => ({
    oldestDueAt: Math.min(...[...jobs.values()].map(({ job }) => job.dueAt)),
  })),
  'the state shows null if no job is due': mapState(({ oldestDueAt }, _database, now) => ({
    oldestDueAt: oldestDueAt ?? now,
  })),
  'jobs are counted by kind as waiting, running, retrying or given up, with the due time of the longest due one':
    // A job whose lease has expired still counts as running.
    counts.mapArguments(() => [start + 9]),
  'a resting notice is not counted': counts.replaceWith(async (_args, _original, { jobs }) =>
    [...jobs.values()].map(({ job }) => ({
      ...{ kind: job.task.kind, waiting: 1, running: 0, retrying: 0, nextRetryAt: null },
      ...{ deadLetters: 0, oldestDueAt: null },
    })),
  ),
});
