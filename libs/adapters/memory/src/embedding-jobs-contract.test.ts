import { isDeepStrictEqual } from 'node:util';
import { embeddingJobsContract } from '@portico/contracts';
import type { CollectionId, NewJob } from '@portico/domain';
import { breachesOf, breaking, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, type StoredJob } from './memory-database.ts';

const { awaited, enqueue, lastRun, startRun } = breachesOf('embeddingJobs');

/** The last run with its jobs counted differently. */
const counting = (isWaiting: (stored: StoredJob) => boolean, isFailed: (stored: StoredJob) => boolean) =>
  lastRun.returning((run, _asked, { jobs }) => {
    const stored = [...jobs.values()];
    return run && { ...run, waiting: stored.filter(isWaiting).length, failed: stored.filter(isFailed).length };
  });

proveStores('the memory embedding jobs', embeddingJobsContract, {
  'enqueued jobs are in the outbox, and their entries in the log': enqueue.asking(([effects]) => [
    { ...effects, entries: [] },
  ]),
  'no second job is enqueued for a collection while its job is due, leased or postponed': enqueue.instead(
    async ([effects], _right, database) => {
      const due = [...database.jobs.values()].filter(({ leaseUntil }) => leaseUntil === null);
      const isAwaited = ({ task }: NewJob) => due.some(({ job }) => isDeepStrictEqual(job.task, task));
      const jobs = (effects.jobs ?? []).filter((job) => !isAwaited(job));
      commit(database, { ...effects, jobs }, () => undefined);
    },
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
  'an enqueue that fails adds nothing, and leaves earlier and later ones alone': enqueue.instead(
    async ([{ entries, jobs = [] }], right) => {
      for (const job of jobs) await right.enqueue({ entries: [], jobs: [job], deadline: null });
      await right.enqueue({ entries, jobs: [], deadline: null });
    },
  ),
  'a collection is awaited while its job is due, leased or postponed, and no longer once that is given up or done':
    awaited.instead(
      async (_asked, _right, { jobs }) =>
        new Set(
          [...jobs.values()].flatMap(({ job: { task }, leaseUntil }) =>
            task.kind === 'embed' && leaseUntil === null ? [task.collectionId] : [],
          ),
        ),
    ),
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
  'an enqueued job replaces the dead letters of its collection, and no others': enqueue.instead(
    async ([effects], _right, database) => commit(database, effects, () => undefined),
  ),
  'concurrent enqueues for the same collections add one job per collection': enqueue.instead(
    async ([effects], _right, database) => {
      const waiting = [...database.jobs.values()].map(({ job }) => job.task);
      await pause();
      const fresh = (effects.jobs ?? []).filter(({ task }) => !waiting.some((other) => isDeepStrictEqual(other, task)));
      commit(database, { ...effects, jobs: fresh }, () => undefined);
    },
  ),
  'a run is planned from the ids of all collections': startRun.misleading(([collections]) => [collections.slice(1)]),
  'a run is recorded with its jobs and entries, and returned': startRun.deciding((change) => ({
    ...change,
    entries: [],
  })),
  'while jobs of the last run wait, no other run starts, and the last one is returned': startRun.instead(
    async ([plan], right) => {
      const run = await right.startRun(plan);
      const planned = plan([]);
      if (planned.run.id !== run.id) await right.enqueue({ jobs: [], entries: planned.entries, deadline: null });
      return run;
    },
  ),
  'a leased or postponed job of a run still counts as waiting': counting(
    ({ leaseUntil }) => leaseUntil === null,
    () => false,
  ),
  'jobs of the last run count as waiting until they are done, and as failed once given up': counting(
    ({ isDeadLetter }) => !isDeadLetter,
    ({ isDeadLetter }) => isDeadLetter,
  ),
  'a run can start once no job of the last one waits, and then is the last one': startRun.instead(
    async ([plan], right, { jobs }) => {
      const last = await right.lastRun();
      return last && [...jobs.values()].some(({ job }) => job.group === last.id) ? last : right.startRun(plan);
    },
  ),
  'a start of a run rethrows what its plan throws, and records nothing': startRun.leaking(),
  'of concurrent starts, exactly one records its run, and all return that run': startRun.instead(
    async ([plan], right, database) => {
      const last = await right.lastRun();
      await pause();
      if (!last) database.lastRun = null;
      return right.startRun(plan);
    },
  ),
  'before the first run there is no last one': lastRun.instead(async (_asked, right, { jobs }) => {
    const [first] = jobs.values();
    const run = { id: first?.job.group ?? '', total: jobs.size, startedAt: 0, waiting: jobs.size, failed: 0 };
    return (await right.lastRun()) ?? run;
  }),
});
