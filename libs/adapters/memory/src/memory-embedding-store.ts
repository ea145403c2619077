import type { Collection, CollectionId, EmbeddingStore } from '@portico/domain';
import { commit, kept } from './memory-database.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

export const createMemoryEmbeddingStore = (database: MemoryDatabase): EmbeddingStore => {
  const { collections, embeddings } = database;

  return {
    async put(embedding) {
      const { collectionId, contentRevision } = embedding;
      if (collections.get(collectionId)?.contentRevision !== contentRevision) return false;
      database.lastSequence += 1;
      embeddings.set(collectionId, { embedding: kept(embedding), sequence: database.lastSequence });
      return true;
    },

    async changedSince(after, modelId, limit) {
      return [...embeddings.values()]
        .filter(({ embedding, sequence }) => embedding.modelId === modelId && sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(({ embedding: { collectionId, vector }, sequence }) => ({
          sequence,
          collectionId,
          vector: vector.slice(),
        }));
    },

    async outdated(modelId) {
      return [...collections.values()]
        .filter((collection) => !isUpToDate(database, collection, modelId))
        .map(({ id }) => id);
    },

    async awaited() {
      return awaitedIn(database);
    },

    async givenUp() {
      return collectionsOf(database, ({ givenUp }) => givenUp);
    },

    async counts(modelId) {
      const all = [...collections.values()];
      const embedded = all.filter((collection) => isUpToDate(database, collection, modelId)).length;
      return { collections: all.length, embedded };
    },

    async enqueue({ jobs: offered = [], ...effects }) {
      const awaited = awaitedIn(database);
      const jobs = offered.filter((job) => job.task.kind !== 'embed' || !awaited.has(job.task.collectionId));
      const replaced = new Set(jobs.flatMap(({ task }) => (task.kind === 'embed' ? [task.collectionId] : [])));
      commit(database, { ...effects, jobs }, () => {
        for (const { job, givenUp } of database.jobs.values()) {
          if (givenUp && job.task.kind === 'embed' && replaced.has(job.task.collectionId)) database.jobs.delete(job.id);
        }
      });
    },

    async startRun(plan) {
      const underWay = database.lastRun;
      if (underWay && jobsOf(database, underWay.id).some(({ givenUp }) => !givenUp)) return underWay;
      const change = plan([...collections.keys()]);
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
      const failed = jobs.filter(({ givenUp }) => givenUp).length;
      return { ...run, waiting: jobs.length - failed, failed };
    },
  };
};

const isUpToDate = ({ embeddings }: MemoryDatabase, { id, contentRevision }: Collection, modelId: string) => {
  const stored = embeddings.get(id)?.embedding;
  return stored?.modelId === modelId && stored.contentRevision === contentRevision;
};

const awaitedIn = (database: MemoryDatabase): ReadonlySet<CollectionId> =>
  collectionsOf(database, ({ givenUp }) => !givenUp);

/** Those that such a job is to embed. */
const collectionsOf = ({ jobs }: MemoryDatabase, isMeant: (job: StoredJob) => boolean): ReadonlySet<CollectionId> =>
  new Set(
    [...jobs.values()]
      .filter(isMeant)
      .flatMap(({ job: { task } }) => (task.kind === 'embed' ? [task.collectionId] : [])),
  );

const jobsOf = ({ jobs }: MemoryDatabase, group: string): StoredJob[] =>
  [...jobs.values()].filter(({ job }) => job.group === group);
