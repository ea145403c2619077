import { isDeepStrictEqual } from 'node:util';
import { embeddingJobsContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CollectionId, NewJob } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { commit, type StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** The last run with its jobs counted differently. */
const counting = (isWaiting: (stored: StoredJob) => boolean, isFailed: (stored: StoredJob) => boolean) =>
  breaking('embeddingJobs', (right, _stores, { jobs }) => ({
    lastRun: async () => {
      const run = await right.lastRun();
      const stored = [...jobs.values()];
      return run && { ...run, waiting: stored.filter(isWaiting).length, failed: stored.filter(isFailed).length };
    },
  }));

const sabotages: Sabotages<typeof embeddingJobsContract, Stores> = {
  'enqueued jobs are in the outbox, and their entries in the log': breaking('embeddingJobs', (right) => ({
    enqueue: (effects) => right.enqueue({ ...effects, entries: [] }),
  })),
  'no second job is enqueued for a collection while its job is due, leased or postponed': breaking(
    'embeddingJobs',
    (_right, _stores, database) => ({
      enqueue: async (effects) => {
        const due = [...database.jobs.values()].filter(({ leaseUntil }) => leaseUntil === null);
        const isAwaited = ({ task }: NewJob) => due.some(({ job }) => isDeepStrictEqual(job.task, task));
        const jobs = (effects.jobs ?? []).filter((job) => !isAwaited(job));
        commit(database, { ...effects, jobs }, () => undefined);
      },
    }),
  ),
  'a dead letter or a finished job does not keep another from being enqueued': breaking(
    'embeddingJobs',
    (_right, _stores, database) => {
      const seen = new Set<string>();
      return {
        enqueue: async (effects) => {
          const fresh = (effects.jobs ?? []).filter(({ task }) => !seen.has(JSON.stringify(task)));
          for (const { task } of fresh) seen.add(JSON.stringify(task));
          commit(database, { ...effects, jobs: fresh }, () => undefined);
        },
      };
    },
  ),
  'an enqueue that fails adds nothing, and leaves earlier and later ones alone': breaking('embeddingJobs', (right) => ({
    enqueue: async ({ entries, jobs = [] }) => {
      for (const job of jobs) await right.enqueue({ entries: [], jobs: [job], deadline: null });
      await right.enqueue({ entries, jobs: [], deadline: null });
    },
  })),
  'a collection is awaited while its job is due, leased or postponed, and no longer once that is given up or done':
    breaking('embeddingJobs', (_right, _stores, { jobs }) => ({
      awaited: async () =>
        new Set(
          [...jobs.values()].flatMap(({ job: { task }, leaseUntil }) =>
            task.kind === 'embed' && leaseUntil === null ? [task.collectionId] : [],
          ),
        ),
    })),
  'a collection counts as dead-lettered until its dead letter is requeued or discarded': breaking(
    'embeddingJobs',
    (right) => {
      const before = new Set<CollectionId>();
      return {
        deadLettered: async () => before,
        enqueue: async (effects) => {
          for (const { task } of effects.jobs ?? []) if (task.kind === 'embed') before.add(task.collectionId);
          await right.enqueue(effects);
        },
      };
    },
  ),
  'an enqueued job replaces the dead letters of its collection, and no others': breaking(
    'embeddingJobs',
    (_right, _stores, database) => ({
      enqueue: async (effects) => commit(database, effects, () => undefined),
    }),
  ),
  'concurrent enqueues for the same collections add one job per collection': breaking(
    'embeddingJobs',
    (_right, _stores, database) => ({
      enqueue: async (effects) => {
        const waiting = [...database.jobs.values()].map(({ job }) => job.task);
        await pause();
        const fresh = (effects.jobs ?? []).filter(
          ({ task }) => !waiting.some((other) => isDeepStrictEqual(other, task)),
        );
        commit(database, { ...effects, jobs: fresh }, () => undefined);
      },
    }),
  ),
  'a run is planned from the ids of all collections': breaking('embeddingJobs', (right) => ({
    startRun: (plan) => right.startRun((collections) => plan(collections.slice(1))),
  })),
  'a run is recorded with its jobs and entries, and returned': breaking('embeddingJobs', (right) => ({
    startRun: (plan) => right.startRun((collections) => ({ ...plan(collections), entries: [] })),
  })),
  'while jobs of the last run wait, no other run starts, and the last one is returned': breaking(
    'embeddingJobs',
    (right) => ({
      startRun: async (plan) => {
        const run = await right.startRun(plan);
        const planned = plan([]);
        if (planned.run.id !== run.id) await right.enqueue({ jobs: [], entries: planned.entries, deadline: null });
        return run;
      },
    }),
  ),
  'a leased or postponed job of a run still counts as waiting': counting(
    ({ leaseUntil }) => leaseUntil === null,
    () => false,
  ),
  'jobs of the last run count as waiting until they are done, and as failed once given up': counting(
    ({ isDeadLetter }) => !isDeadLetter,
    ({ isDeadLetter }) => isDeadLetter,
  ),
  'a run can start once no job of the last one waits, and then is the last one': breaking(
    'embeddingJobs',
    (right, _stores, { jobs }) => ({
      startRun: async (plan) => {
        const last = await right.lastRun();
        return last && [...jobs.values()].some(({ job }) => job.group === last.id) ? last : right.startRun(plan);
      },
    }),
  ),
  'a start of a run rethrows what its plan throws, and records nothing': breaking('embeddingJobs', (right, stores) => ({
    startRun: (plan) => leaking(stores, right.startRun(plan)),
  })),
  'of concurrent starts, exactly one records its run, and all return that run': breaking(
    'embeddingJobs',
    (right, _stores, database) => ({
      startRun: async (plan) => {
        const last = await right.lastRun();
        await pause();
        if (!last) database.lastRun = null;
        return right.startRun(plan);
      },
    }),
  ),
  'before the first run there is no last one': breaking('embeddingJobs', (right, _stores, { jobs }) => ({
    lastRun: async () => {
      const [first] = jobs.values();
      const run = { id: first?.job.group ?? '', total: jobs.size, startedAt: 0, waiting: jobs.size, failed: 0 };
      return (await right.lastRun()) ?? run;
    },
  })),
};

describe('the memory embedding jobs', () => {
  proveContract(embeddingJobsContract, sabotages, createMemoryStores);
});
