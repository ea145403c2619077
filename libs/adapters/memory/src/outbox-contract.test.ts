import { noEffects, outboxContract, type Sabotages, type Stores } from '@portico/contracts';
import type { Job, JobId, Outbox } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** One that says due what passes. */
const dueWhere = (passes: (stored: StoredJob, now: number) => boolean) =>
  breaking('outbox', (_right, _stores, { jobs }) => ({
    due: async (kind, now) =>
      [...jobs.values()]
        .filter((stored) => stored.job.task.kind === kind && passes(stored, now))
        .map(({ job }) => job.id),
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

/** What is left of a notice after another was added for its profile. */
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
  'jobs are due from their time on': dueWhere(({ job }, now) => job.dueAt < now),
  'jobs of one kind come longest due first, at most as many as asked for': dueWhere(({ job }, now) => job.dueAt <= now),
  'jobs of one kind are told without those of another': breaking('outbox', (right) => ({
    due: (kind, now, limit) => right.due(kind === 'mail.rejection' ? 'mail.credentials' : kind, now, limit),
  })),
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
  'a notice that is added where its profile has one is not added: that one is asked for once more': gathering(
    (before) => before,
  ),
  'of simultaneous additions of notices for one profile one is added, and asked for by all': breaking(
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
  'a notice that is leased, put off or given up is asked for once more as well': gathering((before, after) =>
    before.leaseUntil === null ? after : before,
  ),
  'a notice that rests goes on under its next id, for what it was asked since its claim, as if it had never failed':
    resting((right, claimed, next) => right.rest({ ...claimed, task: { ...claimed.task, asked: 0 } }, next)),
  'a notice that rests is neither due nor waiting until it is asked for': breaking(
    'outbox',
    (right, _stores, { jobs }) => ({
      state: async (now) => ({ ...(await right.state(now)), waiting: jobs.size }),
    }),
  ),
  'a notice that is gone or given up is left alone by a rest': resting(async (right, claimed, next, { jobs }) => {
    const stored = jobs.get(claimed.id);
    if (stored) jobs.set(claimed.id, { ...stored, isDeadLetter: false });
    await right.rest(claimed, next);
  }),
  'a job that was given up is never due again and cannot be claimed': breaking('outbox', (right) => ({
    deadLetter: (id, _now, error) => right.retry(id, 0, error),
  })),
  'a job that was given up is kept': breaking('outbox', (right) => ({ deadLetter: (id) => right.done(id) })),
  'to give a job up again changes nothing of it': breaking('outbox', (right, _stores, { jobs }) => ({
    deadLetter: async (id, now, error) => {
      const stored = jobs.get(id);
      if (stored) jobs.set(id, { ...stored, isDeadLetter: false });
      await right.deadLetter(id, now, error);
    },
  })),
  'what jobs that wait have sealed is listed, of leased and put off ones too, and of no other': breaking(
    'outbox',
    (_right, _stores, { jobs }) => ({
      sealed: async () =>
        [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ id, sealed: task.sealed }] : [])),
    }),
  ),
  'a job that is sealed anew is otherwise as it was': breaking('outbox', (right, _stores, database) => ({
    reseal: (id, ...rest) => unleasing(right, database, id).reseal(id, ...rest),
  })),
  'effects are written with what is sealed anew, and not where nothing is': breaking('outbox', (right, { audit }) => ({
    reseal: async (id, before, after, effects) => {
      for (const entry of effects.entries ?? []) await audit.append(entry, null);
      return right.reseal(id, before, after, noEffects);
    },
  })),
  'a job that is gone, was given up or has something else sealed is not sealed anew': breaking('outbox', (right) => ({
    reseal: async (id, before, after, effects) => {
      const now = (await right.sealed()).find((job) => job.id === id)?.sealed;
      return right.reseal(id, now ?? before, after, effects);
    },
  })),
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
