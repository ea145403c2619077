import { isDeepStrictEqual } from 'node:util';
import { embeddingJobsContract } from '@portico/contracts';
import type { CollectionId, NewJob } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, type StoredJob } from './memory-database.ts';

const { listPending, enqueue, findLastRun, startRun } = breachesOf('embeddingJobs');

/** Counts the jobs of the last run differently. */
const countRunJobs = (isWaiting: (stored: StoredJob) => boolean, isFailed: (stored: StoredJob) => boolean) =>
  findLastRun.mapResult((run, _args, { jobs }) => {
    const storedJobs = [...jobs.values()];
    return run && { ...run, waiting: storedJobs.filter(isWaiting).length, failed: storedJobs.filter(isFailed).length };
  });

proveStores('the memory embedding jobs', embeddingJobsContract, {
  'enqueueing jobs adds them to the outbox and their entries to the log': enqueue.mapArguments(([effects]) => [
    { ...effects, entries: [] },
  ]),
  'while the job of a collection is due, leased or postponed, a second job is not enqueued': enqueue.replaceWith(
    async ([effects], _original, database) => {
      const unleasedJobs = [...database.jobs.values()].filter(({ leaseUntil }) => leaseUntil === null);
      const isPending = ({ task }: NewJob) => unleasedJobs.some(({ job }) => isDeepStrictEqual(job.task, task));
      const jobs = (effects.jobs ?? []).filter((job) => !isPending(job));
      commit(database, { ...effects, jobs }, () => undefined);
    },
  ),
  'a dead letter or a finished job does not prevent a new job from being enqueued': breakPort(
    'embeddingJobs',
    (_original, _stores, database) => {
      const enqueuedTasks = new Set<string>();
      return {
        enqueue: async (effects) => {
          const newJobs = (effects.jobs ?? []).filter(({ task }) => !enqueuedTasks.has(JSON.stringify(task)));
          for (const { task } of newJobs) enqueuedTasks.add(JSON.stringify(task));
          commit(database, { ...effects, jobs: newJobs }, () => undefined);
        },
      };
    },
  ),
  'enqueueing that fails adds nothing, and does not affect earlier or later calls': enqueue.replaceWith(
    async ([{ entries, jobs = [] }], original) => {
      for (const job of jobs) await original.enqueue({ entries: [], jobs: [job], deadline: null });
      await original.enqueue({ entries, jobs: [], deadline: null });
    },
  ),
  'a collection is pending while its job is due, leased or postponed, but not once the job is given up or done':
    listPending.replaceWith(
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
      const collectionIds = new Set<CollectionId>();
      return {
        listDeadLettered: async () => collectionIds,
        enqueue: async (effects) => {
          for (const { task } of effects.jobs ?? []) if (task.kind === 'embed') collectionIds.add(task.collectionId);
          await original.enqueue(effects);
        },
      };
    },
  ),
  'an enqueued job replaces only the dead letters of its collection': enqueue.replaceWith(
    async ([effects], _original, database) => commit(database, effects, () => undefined),
  ),
  'enqueueing jobs for the same collections concurrently adds one job per collection': enqueue.replaceWith(
    async ([effects], _original, database) => {
      const pendingTasks = [...database.jobs.values()].map(({ job }) => job.task);
      await pause();
      const newJobs = (effects.jobs ?? []).filter(
        ({ task }) => !pendingTasks.some((pendingTask) => isDeepStrictEqual(pendingTask, task)),
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
  'while jobs of the last run are waiting, starting a run returns the last run instead': startRun.replaceWith(
    async ([plan], original) => {
      const run = await original.startRun(plan);
      const change = plan([]);
      if (change.run.id !== run.id) await original.enqueue({ jobs: [], entries: change.entries, deadline: null });
      return run;
    },
  ),
  'a leased or postponed job of a run still counts as waiting': countRunJobs(
    ({ leaseUntil }) => leaseUntil === null,
    () => false,
  ),
  'jobs of the last run count as waiting until they are done, and as failed once they are given up': countRunJobs(
    ({ isDeadLetter }) => !isDeadLetter,
    ({ isDeadLetter }) => isDeadLetter,
  ),
  'a run can start when no job of the last run is waiting, and becomes the last run': startRun.replaceWith(
    async ([plan], original, { jobs }) => {
      const previousRun = await original.findLastRun();
      return previousRun && [...jobs.values()].some(({ job }) => job.group === previousRun.id)
        ? previousRun
        : original.startRun(plan);
    },
  ),
  'starting a run rethrows an error from the plan and records nothing': startRun.writeEntryOnFailure(),
  'when runs are started concurrently, only one is recorded, and all calls return it': startRun.replaceWith(
    async ([plan], original, database) => {
      const previousRun = await original.findLastRun();
      await pause();
      if (!previousRun) database.lastRun = null;
      return original.startRun(plan);
    },
  ),
  'there is no last run before the first run': findLastRun.replaceWith(async (_args, original, { jobs }) => {
    const [firstJob] = jobs.values();
    const run = { id: firstJob?.job.group ?? '', total: jobs.size, startedAt: 0, waiting: jobs.size, failed: 0 };
    return (await original.findLastRun()) ?? run;
  }),
});
