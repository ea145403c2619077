import { noEffects, outboxContract, start, type Sabotages, type Stores } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Jobs that pass this test are due, and no others. */
const dueWhere = (passes: (stored: StoredJob, now: number) => boolean) =>
  breaking('outbox', (_right, _stores, { jobs }) => ({
    due: async (kind, now) =>
      [...jobs.values()]
        .filter((stored) => stored.job.task.kind === kind && passes(stored, now))
        .map(({ job }) => job.id),
  }));

/** Claims that wrongly succeed. */
const claimingAnyway = (mayClaim: (database: MemoryDatabase, id: JobId) => Job | undefined) =>
  breaking('outbox', (right, _stores, database) => ({
    claim: async (id, now, leaseUntil) => (await right.claim(id, now, leaseUntil)) ?? mayClaim(database, id) ?? null,
  }));

const unleasing = (right: Outbox, { jobs }: MemoryDatabase, id: JobId): Outbox => {
  const stored = jobs.get(id);
  if (stored) jobs.set(id, { ...stored, leaseUntil: null });
  return right;
};

/** The state with parts changed. */
const stating = (alter: (state: State, database: MemoryDatabase, now: number) => Partial<State>) =>
  breaking('outbox', (right, _stores, database) => ({
    state: async (now) => {
      const state = await right.state(now);
      return { ...state, ...alter(state, database, now) };
    },
  }));

/** Changes a notice after another was added for its profile. */
const gathering = (alter: (before: StoredJob, after: StoredJob) => StoredJob) =>
  breaking('embeddingJobs', (right, _stores, { jobs }) => ({
    enqueue: async (effects) => {
      const before = [...jobs.values()].filter(({ job }) => job.task.kind === 'mail.notice');
      await right.enqueue(effects);
      for (const stored of before) {
        const after = jobs.get(stored.job.id);
        if (after) jobs.set(stored.job.id, alter(stored, after));
      }
    },
  }));

const resting = (rest: (right: Outbox, ...asked: [...Parameters<Outbox['rest']>, MemoryDatabase]) => Promise<void>) =>
  breaking('outbox', (right, _stores, database) => ({ rest: (claimed, next) => rest(right, claimed, next, database) }));

type State = Awaited<ReturnType<Outbox['state']>>;

const sabotages: Sabotages<typeof outboxContract, Stores> = {
  'jobs are due from their due time on': dueWhere(({ job }, now) => job.dueAt < now),
  'due jobs of a kind are returned longest due first, up to the limit': dueWhere(({ job }, now) => job.dueAt <= now),
  'due jobs are only those of the requested kind': breaking('outbox', (right) => ({
    due: (kind, now, limit) => right.due(kind === 'mail.rejection' ? 'mail.credentials' : kind, now, limit),
  })),
  'a job that is leased is not due': dueWhere(({ job }, now) => job.dueAt <= now),
  'a job whose lease has expired is due again': dueWhere(({ leaseUntil }) => leaseUntil === null),
  'a claim returns the job as it was written, for every kind': breaking('outbox', (right) => ({
    claim: async (...asked) => {
      const job = await right.claim(...asked);
      return job?.task.kind === 'mail.rejection'
        ? { ...job, task: { ...job.task, reason: job.task.reason ?? '' } }
        : job;
    },
  })),
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
  'a leased job cannot be claimed': breaking('outbox', (right, _stores, database) => ({
    claim: (id, now, leaseUntil) => unleasing(right, database, id).claim(id, now, leaseUntil),
  })),
  'a job whose lease has expired can be claimed, and is leased again': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      claim: async (id, now, leaseUntil) => {
        const before = jobs.get(id);
        const job = await right.claim(id, now, leaseUntil);
        if (job && before?.leaseUntil) jobs.set(id, before);
        return job;
      },
    }),
  ),
  'a lease can be extended, and shortened': breaking('outbox', () => ({ extend: async () => true })),
  'a lease is not extended once the job is leased again, free, given up or gone': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      extend: async (id, _leaseUntil, nextUntil) => {
        const leaseUntil = jobs.get(id)?.leaseUntil;
        return leaseUntil != null && right.extend(id, leaseUntil, nextUntil);
      },
    }),
  ),
  'of concurrent claims of one job, exactly one succeeds': breaking('outbox', (right, _stores, { jobs }) => ({
    claim: async (id, now, leaseUntil) => {
      const before = jobs.get(id);
      await pause();
      if (before) jobs.set(id, before);
      return right.claim(id, now, leaseUntil);
    },
  })),
  'a job that is done is removed, and no other': breaking('outbox', (_right, _stores, { jobs }) => ({
    done: async () => jobs.clear(),
  })),
  'ending, postponing or giving up a job that is gone does nothing': breaking('outbox', (right, _stores, { jobs }) => ({
    retry: async (id, dueAt, error) => {
      if (!jobs.has(id)) throw new Error(`There is no job ${id}.`);
      await right.retry(id, dueAt, error);
    },
  })),
  'a postponed job releases its lease and is due at the time that was set': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      retry: async (id, dueAt, error) => {
        const leaseUntil = jobs.get(id)?.leaseUntil ?? null;
        await right.retry(id, dueAt, error);
        const stored = jobs.get(id);
        if (stored) jobs.set(id, { ...stored, leaseUntil });
      },
    }),
  ),
  'each retry counts one attempt': breaking('outbox', (right) => ({
    claim: async (...asked) => {
      const job = await right.claim(...asked);
      return job && { ...job, attempts: Math.min(job.attempts, 1) };
    },
  })),
  'a second notice for a profile is not added: the first counts one more request': gathering((before) => before),
  'of notices added concurrently for one profile, one is added and counts every request': breaking(
    'embeddingJobs',
    (right, _stores, database) => ({
      enqueue: async (effects) => {
        const before = [...database.jobs];
        await pause();
        for (const [id] of database.jobs) if (!before.some(([known]) => known === id)) database.jobs.delete(id);
        await right.enqueue(effects);
      },
    }),
  ),
  'a notice that is leased, postponed or given up also counts one more request': gathering((before, after) =>
    before.leaseUntil === null ? after : before,
  ),
  'a resting notice continues under its next id, with the requests since its claim, as if it had never failed': resting(
    (right, claimed, next) => right.rest({ ...claimed, task: { ...claimed.task, asked: 0 } }, next),
  ),
  'a resting notice is neither due nor waiting until it is requested': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      state: async (now) => ({ ...(await right.state(now)), waiting: jobs.size }),
    }),
  ),
  'a rest leaves alone a notice that is gone or given up': resting(async (right, claimed, next, { jobs }) => {
    const stored = jobs.get(claimed.id);
    if (stored) jobs.set(claimed.id, { ...stored, isDeadLetter: false });
    await right.rest(claimed, next);
  }),
  'a dead letter is never due again and cannot be claimed': breaking('outbox', (right) => ({
    deadLetter: (id, _now, error) => right.retry(id, 0, error),
  })),
  'a dead letter is kept': breaking('outbox', (right) => ({ deadLetter: (id) => right.done(id) })),
  'giving up a dead letter again changes nothing': breaking('outbox', (right, _stores, { jobs }) => ({
    deadLetter: async (id, now, error) => {
      const stored = jobs.get(id);
      if (stored) jobs.set(id, { ...stored, isDeadLetter: false });
      await right.deadLetter(id, now, error);
    },
  })),
  'the sealed secrets of waiting jobs are listed, including leased and postponed ones, and no others': breaking(
    'outbox',
    (_right, _stores, { jobs }) => ({
      sealed: async () =>
        [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ id, sealed: task.sealed }] : [])),
    }),
  ),
  'the jobs of a change are told once they are durable': breaking('embeddingJobs', (right, _stores, database) => ({
    enqueue: async (effects) => {
      if (effects.jobs?.length) database.tellWritten(effects.jobs);
      await pause();
      const tell = database.tellWritten;
      database.tellWritten = () => undefined;
      await right.enqueue(effects);
      database.tellWritten = tell;
    },
  })),
  'the jobs of a change that fails are not told': breaking('profiles', (right, _stores, database) => ({
    add: async (profile, effects) => {
      database.tellWritten(effects.jobs ?? []);
      await right.add(profile, effects);
    },
  })),
  'only the last who asks is told': breaking('outbox', (right, _stores, database) => ({
    whenWritten: (tell) => {
      const before = database.tellWritten;
      right.whenWritten((jobs) => {
        before(jobs);
        tell(jobs);
      });
    },
  })),
  'a resealed job is otherwise unchanged': breaking('outbox', (right, _stores, database) => ({
    reseal: (id, ...rest) => unleasing(right, database, id).reseal(id, ...rest),
  })),
  'a resealing writes its effects, and none if nothing is resealed': breaking('outbox', (right, { audit }) => ({
    reseal: async (id, before, after, effects) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return right.reseal(id, before, after, noEffects);
    },
  })),
  'a job that is gone, given up or sealed differently is not resealed': breaking('outbox', (right) => ({
    reseal: async (id, before, after, effects) => {
      const now = (await right.sealed()).find((job) => job.id === id)?.sealed;
      return right.reseal(id, now ?? before, after, effects);
    },
  })),
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
    breaking('outbox', (right) => ({
      // A lease that has ended still counts as running.
      counts: async () => right.counts(start + 9),
    })),
  'a resting notice is counted nowhere': breaking('outbox', (_right, _stores, { jobs }) => ({
    counts: async () =>
      [...jobs.values()].map(({ job }) => ({
        ...{ kind: job.task.kind, waiting: 1, running: 0, retrying: 0, nextRetryAt: null },
        ...{ deadLetters: 0, oldestDueAt: null },
      })),
  })),
};

describe('the memory outbox', () => {
  proveContract(outboxContract, sabotages, createMemoryStores);
});
