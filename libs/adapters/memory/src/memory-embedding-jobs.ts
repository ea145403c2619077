import type { CollectionId, EmbeddingJobs } from '@portico/domain';
import { commit, kept, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryEmbeddingJobs = (database: MemoryDatabase): EmbeddingJobs => ({
  async awaited() {
    return awaitedIn(database);
  },

  async deadLettered() {
    return collectionsOf(database, ({ isDeadLetter }) => isDeadLetter);
  },

  async enqueue({ jobs: offered = [], ...effects }) {
    const awaited = awaitedIn(database);
    const jobs = offered.filter((job) => job.task.kind !== 'embed' || !awaited.has(job.task.collectionId));
    const replaced = new Set(jobs.flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : [])));
    commit(database, { ...effects, jobs }, () => {
      for (const { job, isDeadLetter } of database.jobs.values()) {
        if (isDeadLetter && job.task.kind === 'embed' && replaced.has(job.task.collectionId))
          database.jobs.delete(job.id);
      }
    });
  },

  async startRun(plan) {
    const underWay = database.lastRun;
    if (underWay && jobsOf(database, underWay.id).some(({ isDeadLetter }) => !isDeadLetter)) return underWay;
    const change = plan([...database.collections.keys()]);
    const run = kept(change.run);
    commit(database, change, () => {
      database.lastRun = run;
    });
    return run;
  },

  async lastRun() {
    const run = database.lastRun;
    if (!run) return null;
    const jobs = jobsOf(database, run.id);
    const failed = jobs.filter(({ isDeadLetter }) => isDeadLetter).length;
    return { ...run, waiting: jobs.length - failed, failed };
  },
});

const awaitedIn = (database: MemoryDatabase): ReadonlySet<CollectionId> =>
  collectionsOf(database, ({ isDeadLetter }) => !isDeadLetter);

/** The collections of these embed jobs. */
const collectionsOf = ({ jobs }: MemoryDatabase, isMeant: (job: StoredJob) => boolean): ReadonlySet<CollectionId> =>
  new Set(
    [...jobs.values()]
      .filter(isMeant)
      .flatMap(({ job: { task } }) => (task.kind === 'embed' ? [task.collectionId] : [])),
  );

const jobsOf = ({ jobs }: MemoryDatabase, group: string): StoredJob[] =>
  [...jobs.values()].filter(({ job }) => job.group === group);
