import { outboxContract, type Sabotages, type Stores } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** One that says due what passes. */
const dueWhere = (passes: (stored: StoredJob, now: number) => boolean) =>
  breaking('outbox', (_right, _stores, { jobs }) => ({
    due: async (now) => [...jobs.values()].filter((stored) => passes(stored, now)).map(({ job }) => job.id),
  }));

/** Claims that succeed where they must not. */
const claimingAnyway = (mayClaim: (database: MemoryDatabase, id: JobId) => Job | undefined) =>
  breaking('outbox', (right, _stores, database) => ({
    claim: async (id, now, leaseUntil) => (await right.claim(id, now, leaseUntil)) ?? mayClaim(database, id) ?? null,
  }));

const unleasing = (right: Outbox, { jobs }: MemoryDatabase, id: JobId): Outbox => {
  const stored = jobs.get(id);
  if (stored) jobs.set(id, { ...stored, leaseUntil: null });
  return right;
};

/** The state with something else in it. */
const stating = (alter: (state: State, database: MemoryDatabase, now: number) => Partial<State>) =>
  breaking('outbox', (right, _stores, database) => ({
    state: async (now) => {
      const state = await right.state(now);
      return { ...state, ...alter(state, database, now) };
    },
  }));

type State = Awaited<ReturnType<Outbox['state']>>;

const sabotages: Sabotages<typeof outboxContract, Stores> = {
  'jobs are due from their time on': dueWhere(({ job }, now) => job.dueAt < now),
  'jobs that are due come longest due first, at most as many as asked for': dueWhere(
    ({ job }, now) => job.dueAt <= now,
  ),
  'a job that is leased is not due': dueWhere(({ job }, now) => job.dueAt <= now),
  'a job whose lease ran out is due again': dueWhere(({ leaseUntil }) => leaseUntil === null),
  'a claim answers the job as it was written, of every kind': breaking('outbox', (right) => ({
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
  'a job that another has leased cannot be claimed': breaking('outbox', (right, _stores, database) => ({
    claim: (id, now, leaseUntil) => unleasing(right, database, id).claim(id, now, leaseUntil),
  })),
  'a job whose lease ran out can be claimed, and is leased anew': breaking('outbox', (right, _stores, { jobs }) => ({
    claim: async (id, now, leaseUntil) => {
      const before = jobs.get(id);
      const job = await right.claim(id, now, leaseUntil);
      if (job && before?.leaseUntil) jobs.set(id, before);
      return job;
    },
  })),
  'of simultaneous claims of one job one succeeds': breaking('outbox', (right, _stores, { jobs }) => ({
    claim: async (id, now, leaseUntil) => {
      const before = jobs.get(id);
      await pause();
      if (before) jobs.set(id, before);
      return right.claim(id, now, leaseUntil);
    },
  })),
  'a job that is done is gone, and no other': breaking('outbox', (_right, _stores, { jobs }) => ({
    done: async () => jobs.clear(),
  })),
  'to end, put off or give up a job that is gone is no error and makes none': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      retry: async (id, dueAt, error) => {
        if (!jobs.has(id)) throw new Error(`There is no job ${id}.`);
        await right.retry(id, dueAt, error);
      },
    }),
  ),
  'a job that is put off gives its lease back and is due at the time that was set': breaking(
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
  'each putting off counts one attempt': breaking('outbox', (right) => ({
    claim: async (...asked) => {
      const job = await right.claim(...asked);
      return job && { ...job, attempts: Math.min(job.attempts, 1) };
    },
  })),
  'a job that was given up is never due again and cannot be claimed': breaking('outbox', (right) => ({
    giveUp: (id, error) => right.retry(id, 0, error),
  })),
  'a job that was given up is kept': breaking('outbox', (right) => ({ giveUp: (id) => right.done(id) })),
  'all jobs wait that are not given up, leased and put off ones too': stating((_state, { jobs }) => ({
    waiting: [...jobs.values()].filter(({ leaseUntil }) => leaseUntil === null).length,
  })),
  'the state tells since when the longest due job is due': stating((_state, { jobs }) => ({
    oldestDueAt: Math.min(...[...jobs.values()].map(({ job }) => job.dueAt)),
  })),
  'the state tells of no due job where none is due': stating(({ oldestDueAt }, _database, now) => ({
    oldestDueAt: oldestDueAt ?? now,
  })),
};

describe('the memory outbox', () => {
  proveContract(outboxContract, sabotages, createMemoryStores);
});
