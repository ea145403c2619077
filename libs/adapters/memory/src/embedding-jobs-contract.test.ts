import { isDeepStrictEqual } from 'node:util';
import { embeddingJobsContract } from '@portico/contracts';
import type { CollectionId, NewJob } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, type StoredJob } from './memory-database.ts';

const { pending, enqueue, lastRun, startRun } = breachesOf('embeddingJobs');

/** Counts the jobs of the last run differently. */
const countRunJobs = (isWaiting: (stored: StoredJob) => boolean, isFailed: (stored: StoredJob) => boolean) =>
  lastRun.mapResult((run, _args, { jobs }) => {
    const stored = [...jobs.values()];
    return run && { ...run, waiting: stored.filter(isWaiting).length, failed: stored.filter(isFailed).length };
  });

proveStores('the memory embedding jobs', embeddingJobsContract, {
  'enqueued jobs are in the outbox, and their entries in the log': enqueue.mapArguments(([effects]) => [
    { ...effects, entries: [] },
  ]),
  'no second job is enqueued for a collection while its job is due, leased or postponed': enqueue.replaceWith(
    async ([effects], _original, database) => {
      const due = [...database.jobs.values()].filter(({ leaseUntil }) => leaseUntil === null);
      const isAwaited = ({ task }: NewJob) => due.some(({ job }) => isDeepStrictEqual(job.task, task));
      const jobs = (effects.jobs ?? []).filter((job) => !isAwaited(job));
      commit(database, { ...effects, jobs }, () => undefined);
    },
  ),
  'a dead letter or a finished job does not prevent another from being enqueued': breakPort(
    'embeddingJobs',
    (_original, _stores, database) => {
      const seen = new Set<string>();
      return {
        enqueue: async (effects) => {
          const newJobs = (effects.jobs ?? []).filter(({ task }) => !seen.has(JSON.stringify(task)));
          for (const { task } of newJobs) seen.add(JSON.stringify(task));
          commit(database, { ...effects, jobs: newJobs }, () => undefined);
        },
      };
    },
  ),
  'an enqueue that fails adds nothing, and does not affect earlier and later ones': enqueue.replaceWith(
    async ([{ entries, jobs = [] }], original) => {
      for (const job of jobs) await original.enqueue({ entries: [], jobs: [job], deadline: null });
      await original.enqueue({ entries, jobs: [], deadline: null });
    },
  ),
  'a collection is pending while its job is due, leased or postponed, but not once it is given up or done':
    pending.replaceWith(
      async (_args, _original, { jobs }) =>
        new Set(
          [...jobs.values()].flatMap(({ job: { task }, leaseUntil }) =>
            task.kind === 'embed' && leaseUntil === null ? [task.collectionId] : [],
          ),
        ),
    ),
  'a collection counts as dead-lettered until its dead letter is requeued or discarded': breakPort(
    'embeddingJobs',
    (original) => {
      const before = new Set<CollectionId>();
      return {
        deadLettered: async () => before,
        enqueue: async (effects) => {
          for (const { task } of effects.jobs ?? []) if (task.kind === 'embed') before.add(task.collectionId);
          await original.enqueue(effects);
        },
      };
    },
  ),
  'an enqueued job replaces the dead letters of its collection, and no others': enqueue.replaceWith(
    async ([effects], _original, database) => commit(database, effects, () => undefined),
  ),
  'concurrent enqueues for the same collections add one job per collection': enqueue.replaceWith(
    async ([effects], _original, database) => {
      const waiting = [...database.jobs.values()].map(({ job }) => job.task);
      await pause();
      const newJobs = (effects.jobs ?? []).filter(
        ({ task }) => !waiting.some((other) => isDeepStrictEqual(other, task)),
      );
      commit(database, { ...effects, jobs: newJobs }, () => undefined);
    },
  ),
  'a run is planned from the ids of all collections': startRun.mapDecisionInput(([collections]) => [
    collections.slice(1),
  ]),
  'a run is recorded with its jobs and entries, and returned': startRun.mapDecision((change) => ({
    ...change,
    entries: [],
  })),
  'while jobs of the last run are waiting, no other run starts, and the last run is returned': startRun.replaceWith(
    async ([plan], original) => {
      const run = await original.startRun(plan);
      const planned = plan([]);
      if (planned.run.id !== run.id) await original.enqueue({ jobs: [], entries: planned.entries, deadline: null });
      return run;
    },
  ),
  'a leased or postponed job of a run still counts as waiting': countRunJobs(
    ({ leaseUntil }) => leaseUntil === null,
    () => false,
  ),
  'jobs of the last run count as waiting until they are done, and as failed once given up': countRunJobs(
    ({ isDeadLetter }) => !isDeadLetter,
    ({ isDeadLetter }) => isDeadLetter,
  ),
  'a run can start once no job of the last run is waiting, and becomes the last run': startRun.replaceWith(
    async ([plan], original, { jobs }) => {
      const last = await original.lastRun();
      return last && [...jobs.values()].some(({ job }) => job.group === last.id) ? last : original.startRun(plan);
    },
  ),
  'a start of a run rethrows an error from the plan and records nothing': startRun.writeEntryOnFailure(),
  'of concurrent starts, exactly one records its run, and all return that run': startRun.replaceWith(
    async ([plan], original, database) => {
      const last = await original.lastRun();
      await pause();
      if (!last) database.lastRun = null;
      return original.startRun(plan);
    },
  ),
  'before the first run, there is no last run': lastRun.replaceWith(async (_args, original, { jobs }) => {
    const [first] = jobs.values();
    const run = { id: first?.job.group ?? '', total: jobs.size, startedAt: 0, waiting: jobs.size, failed: 0 };
    return (await original.lastRun()) ?? run;
  }),
});
