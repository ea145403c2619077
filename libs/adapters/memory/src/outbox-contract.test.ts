import { noEffects, outboxContract, start } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { breachesOf, breaking, changing, pause, restoring, restoringPart } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

const { claim, counts, deadLetter, done, due, extend, reseal, rest, retry, sealed, state, whenWritten } =
  breachesOf('outbox');
const { enqueue } = breachesOf('embeddingJobs');
const { add } = breachesOf('profiles');

/** Jobs that pass this test are due, and no others. */
const dueWhere = (passes: (stored: StoredJob, now: number) => boolean) =>
  due.instead(async ([kind, now], _right, { jobs }) =>
    [...jobs.values()]
      .filter((stored) => stored.job.task.kind === kind && passes(stored, now))
      .map(({ job }) => job.id),
  );

/** Claims that wrongly succeed. */
const claimingAnyway = (mayClaim: (database: MemoryDatabase, id: JobId) => Job | undefined) =>
  claim.instead(
    async ([id, now, leaseUntil], right, database) =>
      (await right.claim(id, now, leaseUntil)) ?? mayClaim(database, id) ?? null,
  );

/** The state with parts changed. */
const stating = (alter: (state: State, database: MemoryDatabase, now: number) => Partial<State>) =>
  state.returning((state, [now], database) => ({ ...state, ...alter(state, database, now) }));

/** Changes a notice after another was added for its profile. */
const gathering = (alter: (before: StoredJob, after: StoredJob) => StoredJob) =>
  enqueue.leaving(({ jobs }) => {
    const notices = [...jobs].filter(([, { job }]) => job.task.kind === 'mail.notice');
    const alterings = notices.map(([id]) => restoringPart(jobs, id, (after, before) => alter(before, after)));
    return () => alterings.forEach((altering) => altering());
  });

type State = Awaited<ReturnType<Outbox['state']>>;

proveStores('the memory outbox', outboxContract, {
  'jobs are due from their due time on': dueWhere(({ job }, now) => job.dueAt < now),
  'due jobs of a kind are returned longest due first, up to the limit': dueWhere(({ job }, now) => job.dueAt <= now),
  'due jobs are only those of the requested kind': due.asking(([kind, now, limit]) => [
    kind === 'mail.rejection' ? 'mail.credentials' : kind,
    now,
    limit,
  ]),
  'a job that is leased is not due': dueWhere(({ job }, now) => job.dueAt <= now),
  'a job whose lease has expired is due again': dueWhere(({ leaseUntil }) => leaseUntil === null),
  'a claim returns the job as it was written, for every kind': claim.returning((job) =>
    job?.task.kind === 'mail.rejection' ? { ...job, task: { ...job.task, reason: job.task.reason ?? '' } } : job,
  ),
  'a job that is gone cannot be claimed': breaking('outbox', (right) => {
    const claimed = new Map<JobId, Job>();
    return {
      done: async (id) => {
        const job = await right.claim(id, Infinity, Infinity);
        if (job) claimed.set(id, job);
        await right.done(id);
      },
      claim: async (id, now, leaseUntil) => (await right.claim(id, now, leaseUntil)) ?? claimed.get(id) ?? null,
    };
  }),
  'a job that is not due cannot be claimed': claimingAnyway(({ jobs }, id) => jobs.get(id)?.job),
  'a leased job cannot be claimed': claim.preceded(({ jobs }, [id]) => changing(jobs, id, { leaseUntil: null })),
  'a job whose lease has expired can be claimed, and is leased again': claim.leaving(({ jobs }, [id]) => {
    const restore = restoring(jobs, (key, { leaseUntil }) => key === id && leaseUntil !== null);
    return (job) => job && restore();
  }),
  'a lease can be extended, and shortened': extend.instead(async () => true),
  'a lease is not extended once the job is leased again, free, given up or gone': extend.instead(
    async ([id, , nextUntil], right, { jobs }) => {
      const leaseUntil = jobs.get(id)?.leaseUntil;
      return leaseUntil != null && right.extend(id, leaseUntil, nextUntil);
    },
  ),
  'of concurrent claims of one job, exactly one succeeds': claim.racing(({ jobs }, [id]) =>
    restoring(jobs, (key) => key === id),
  ),
  'a job that is done is removed, and no other': done.instead(async (_asked, _right, { jobs }) => jobs.clear()),
  'ending, postponing or giving up a job that is gone does nothing': retry.preceded(({ jobs }, [id]) => {
    if (!jobs.has(id)) throw new Error(`There is no job ${id}.`);
  }),
  'a postponed job releases its lease and is due at the time that was set': retry.leaving(({ jobs }, [id]) =>
    restoringPart(jobs, id, (after, { leaseUntil }) => ({ ...after, leaseUntil })),
  ),
  'each retry counts one attempt': claim.returning((job) => job && { ...job, attempts: Math.min(job.attempts, 1) }),
  'a second notice for a profile is not added: the first counts one more request': gathering((before) => before),
  'of notices added concurrently for one profile, one is added and counts every request': enqueue.racing(({ jobs }) => {
    const before = new Set(jobs.keys());
    return () => [...jobs.keys()].filter((id) => !before.has(id)).forEach((id) => jobs.delete(id));
  }),
  'a notice that is leased, postponed or given up also counts one more request': gathering((before, after) =>
    before.leaseUntil === null ? after : before,
  ),
  'a resting notice continues under its next id, with the requests since its claim, as if it had never failed':
    rest.asking(([claimed, next]) => [{ ...claimed, task: { ...claimed.task, asked: 0 } }, next]),
  'a resting notice is neither due nor waiting until it is requested': stating((_state, { jobs }) => ({
    waiting: jobs.size,
  })),
  'a rest leaves alone a notice that is gone or given up': rest.preceded(({ jobs }, [{ id }]) =>
    changing(jobs, id, { isDeadLetter: false }),
  ),
  'a dead letter is never due again and cannot be claimed': deadLetter.instead(([id, , error], right) =>
    right.retry(id, 0, error),
  ),
  'a dead letter is kept': deadLetter.instead(([id], right) => right.done(id)),
  'giving up a dead letter again changes nothing': deadLetter.preceded(({ jobs }, [id]) =>
    changing(jobs, id, { isDeadLetter: false }),
  ),
  'the sealed secrets of waiting jobs are listed, including leased and postponed ones, and no others': sealed.instead(
    async (_asked, _right, { jobs }) =>
      [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ id, sealed: task.sealed }] : [])),
  ),
  'the jobs of a change are told once they are durable': enqueue.instead(async ([effects], right, database) => {
    if (effects.jobs?.length) database.tellWritten(effects.jobs);
    await pause();
    const tell = database.tellWritten;
    database.tellWritten = () => undefined;
    await right.enqueue(effects);
    database.tellWritten = tell;
  }),
  'the jobs of a change that fails are not told': add.preceded(({ tellWritten }, [, effects]) =>
    tellWritten(effects.jobs ?? []),
  ),
  'only the last who asks is told': whenWritten.instead(([tell], right, database) => {
    const before = database.tellWritten;
    right.whenWritten((jobs) => {
      before(jobs);
      tell(jobs);
    });
  }),
  'a resealed job is otherwise unchanged': reseal.preceded(({ jobs }, [id]) =>
    changing(jobs, id, { leaseUntil: null }),
  ),
  'a resealing writes its effects, and none if nothing is resealed': reseal.instead(
    async ([id, before, after, effects], right, _database, { audit }) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return right.reseal(id, before, after, noEffects);
    },
  ),
  'a job that is gone, given up or sealed differently is not resealed': reseal.instead(
    async ([id, before, after, effects], right) => {
      const now = (await right.sealed()).find((job) => job.id === id)?.sealed;
      return right.reseal(id, now ?? before, after, effects);
    },
  ),
  'every job that is not a dead letter waits, leased and postponed ones included': stating((_state, { jobs }) => ({
    waiting: [...jobs.values()].filter(({ leaseUntil }) => leaseUntil === null).length,
  })),
  'the state says since when the longest due job has been due': stating((_state, { jobs }) => ({
    oldestDueAt: Math.min(...[...jobs.values()].map(({ job }) => job.dueAt)),
  })),
  'the state says null if no job is due': stating(({ oldestDueAt }, _database, now) => ({
    oldestDueAt: oldestDueAt ?? now,
  })),
  'jobs are counted by kind, as waiting, running, retrying or given up, and since when the longest due one is due':
    // A lease that has ended still counts as running.
    counts.asking(() => [start + 9]),
  'a resting notice is counted nowhere': counts.instead(async (_asked, _right, { jobs }) =>
    [...jobs.values()].map(({ job }) => ({
      ...{ kind: job.task.kind, waiting: 1, running: 0, retrying: 0, nextRetryAt: null },
      ...{ deadLetters: 0, oldestDueAt: null },
    })),
  ),
});
