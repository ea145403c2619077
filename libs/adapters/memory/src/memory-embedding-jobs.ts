import {
  type CollectionId,
  type CollectionJobKind,
  type EmbeddingJobs,
  isCollectionTask,
  type JobTask,
} from '@portico/domain';
import { commit, copyFrozen, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryEmbeddingJobs = (database: MemoryDatabase): EmbeddingJobs => ({
  async listPending(kind) {
    return listPendingCollections(database, kind);
  },

  async listDeadLettered(kind) {
    return collectionsOf(database, kind, ({ isDeadLetter }) => isDeadLetter);
  },

  async enqueue({ jobs: candidates = [], ...effects }) {
    const isPending = (task: JobTask) =>
      isCollectionTask(task) && listPendingCollections(database, task.kind).has(task.collectionId);
    const jobs = candidates.filter(({ task }) => !isPending(task));
    const replacedSubjects = new Set(jobs.map(({ task }) => subjectOf(task)));
    commit(database, { ...effects, jobs }, () => {
      for (const { job, isDeadLetter } of database.jobs.values()) {
        if (isDeadLetter && isCollectionTask(job.task) && replacedSubjects.has(subjectOf(job.task)))
          database.jobs.delete(job.id);
      }
    });
  },

  async startRun(plan) {
    const lastRun = database.lastRun;
    if (lastRun && jobsOf(database, lastRun.id).some(({ isDeadLetter }) => !isDeadLetter)) return lastRun;
    const change = plan([...database.collections.keys()]);
    const run = copyFrozen(change.run);
    commit(database, change, () => {
      database.lastRun = run;
    });
    return run;
  },

  async findLastRun() {
    const run = database.lastRun;
    if (!run) return null;
    const jobs = jobsOf(database, run.id);
    const failedCount = jobs.filter(({ isDeadLetter }) => isDeadLetter).length;
    return { ...run, waiting: jobs.length - failedCount, failed: failedCount };
  },
});

const subjectOf = (task: JobTask): string | null =>
  isCollectionTask(task) ? `${task.kind} ${task.collectionId}` : null;

const listPendingCollections = (database: MemoryDatabase, kind: CollectionJobKind): ReadonlySet<CollectionId> =>
  collectionsOf(database, kind, ({ isDeadLetter }) => !isDeadLetter);

/** Returns the collections of all matching jobs of one kind. */
const collectionsOf = (
  { jobs }: MemoryDatabase,
  kind: CollectionJobKind,
  isMatch: (job: StoredJob) => boolean,
): ReadonlySet<CollectionId> =>
  new Set(
    [...jobs.values()]
      .filter(isMatch)
      .flatMap(({ job: { task } }) => (isCollectionTask(task) && task.kind === kind ? [task.collectionId] : [])),
  );

const jobsOf = ({ jobs }: MemoryDatabase, group: string): StoredJob[] =>
  [...jobs.values()].filter(({ job }) => job.group === group);
