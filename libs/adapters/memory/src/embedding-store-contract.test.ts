import { isDeepStrictEqual } from 'node:util';
import { embeddingStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import type { CollectionId, EmbeddingChange, NewJob } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, leaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { commit } from './memory-database.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** Changes with something else in them. */
const altering = (alter: (changes: readonly EmbeddingChange[], limit: number) => readonly EmbeddingChange[]) =>
  breaking('embeddings', (right) => ({
    changedSince: async (after, modelId, limit) => alter(await right.changedSince(after, modelId, 99), limit),
  }));

/** What is outdated for another reason than it should be. */
const misjudging = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  breaking('embeddings', (_right, _stores, database) => ({
    outdated: async (modelId) => [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  }));

/** The last run with its jobs counted another way. */
const counting = (isWaiting: (stored: StoredJob) => boolean, isFailed: (stored: StoredJob) => boolean) =>
  breaking('embeddings', (right, _stores, { jobs }) => ({
    lastRun: async () => {
      const run = await right.lastRun();
      const stored = [...jobs.values()];
      return run && { ...run, waiting: stored.filter(isWaiting).length, failed: stored.filter(isFailed).length };
    },
  }));

const sabotages: Sabotages<typeof embeddingStoreContract, Stores> = {
  'an embedding that was put is answered number for number': altering((changes) =>
    changes.map((change) => ({ ...change, vector: change.vector.map((x) => Math.round(x * 1e6) / 1e6) })),
  ),
  'an embedding takes the place of the earlier one of its collection, with a later sequence': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      put: async (embedding) => {
        const before = embeddings.get(embedding.collectionId);
        const isStored = await right.put(embedding);
        const after = embeddings.get(embedding.collectionId);
        if (before && after) embeddings.set(embedding.collectionId, { ...after, sequence: before.sequence });
        return isStored;
      },
    }),
  ),
  'an embedding by another model takes the place of the earlier one': breaking('embeddings', (right) => {
    const earlier: EmbeddingChange[] = [];
    return {
      put: async (embedding) => {
        earlier.push(...(await right.changedSince(0, 'm1', 9)));
        return right.put(embedding);
      },
      changedSince: async (after, modelId, limit) =>
        modelId === 'm1' ? earlier : right.changedSince(after, modelId, limit),
    };
  }),
  'sequences of simultaneous puts differ': breaking('embeddings', (right, _stores, database) => ({
    put: async (embedding) => {
      const before = database.lastSequence;
      await pause();
      database.lastSequence = before;
      return right.put(embedding);
    },
  })),
  'a sequence is not given again after a removal': breaking('embeddings', (right, _stores, database) => ({
    put: (embedding) => {
      database.lastSequence = Math.max(0, ...[...database.embeddings.values()].map(({ sequence }) => sequence));
      return right.put(embedding);
    },
  })),
  'an embedding of a collection that is not there is not stored': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      put: async (embedding) => {
        if (await right.put(embedding)) return true;
        embeddings.set(embedding.collectionId, { embedding, sequence: 1 });
        return false;
      },
    }),
  ),
  'an embedding of an older or a newer text is not stored, and the earlier one stays': breaking(
    'embeddings',
    (right, _stores, { collections }) => ({
      put: async (embedding) => {
        const present = collections.get(embedding.collectionId)?.contentRevision ?? 0;
        return right.put({ ...embedding, contentRevision: Math.min(embedding.contentRevision, present) });
      },
    }),
  ),
  'what was given or answered cannot be used to change a stored vector': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      changedSince: async (...asked) =>
        (await right.changedSince(...asked)).map((change) => ({
          ...change,
          vector: embeddings.get(change.collectionId)?.embedding.vector ?? change.vector,
        })),
    }),
  ),
  'changes are answered in the order of their sequence, from above a sequence, at most as many as asked for': altering(
    (changes, limit) => [...changes].sort((a, b) => (a.collectionId < b.collectionId ? -1 : 1)).slice(0, limit),
  ),
  'changes are those of the model that was asked about': breaking('embeddings', (_right, _stores, { embeddings }) => ({
    changedSince: async (after) =>
      [...embeddings.values()]
        .filter(({ sequence }) => sequence > after)
        .map(({ sequence, embedding }) => ({ ...embedding, sequence })),
  })),
  'a collection is outdated while its embedding is missing, of another model, or made from an older text': misjudging(
    ({ embeddings }, id, modelId) => embeddings.get(id)?.embedding.modelId === modelId,
  ),
  'a change that is not of the text leaves an embedding up to date': misjudging(
    ({ embeddings, collections }, id) =>
      embeddings.get(id)?.embedding.contentRevision === collections.get(id)?.revision,
  ),
  'the counts are of all collections and of those with an embedding of the model that is up to date': breaking(
    'embeddings',
    (right, _stores, { embeddings }) => ({
      counts: async (modelId) => ({ ...(await right.counts(modelId)), embedded: embeddings.size }),
    }),
  ),
  'jobs that are enqueued are in the outbox, with their entries in the log': breaking('embeddings', (right) => ({
    enqueue: (effects) => right.enqueue({ ...effects, entries: [] }),
  })),
  'a job for a collection that a job waits for is not enqueued again, while that is due, leased or put off': breaking(
    'embeddings',
    (_right, _stores, database) => ({
      enqueue: async (effects) => {
        const due = [...database.jobs.values()].filter(({ leaseUntil }) => leaseUntil === null);
        const isAwaited = ({ task }: NewJob) => due.some(({ job }) => isDeepStrictEqual(job.task, task));
        const jobs = (effects.jobs ?? []).filter((job) => !isAwaited(job));
        commit(database, { ...effects, jobs }, () => undefined);
      },
    }),
  ),
  'a job that was given up or done keeps no other from being enqueued': breaking(
    'embeddings',
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
  'an enqueue that fails adds nothing, undoes nothing of those before it, and may be followed by others': breaking(
    'embeddings',
    (right) => ({
      enqueue: async ({ entries, jobs = [] }) => {
        for (const job of jobs) await right.enqueue({ entries: [], jobs: [job], deadline: null });
        await right.enqueue({ entries, jobs: [], deadline: null });
      },
    }),
  ),
  'a collection is awaited while a job for it is due, leased or put off, and no more once that was given up or done':
    breaking('embeddings', (_right, _stores, { jobs }) => ({
      awaited: async () =>
        new Set(
          [...jobs.values()].flatMap(({ job: { task }, leaseUntil }) =>
            task.kind === 'embed' && leaseUntil === null ? [task.collectionId] : [],
          ),
        ),
    })),
  'a collection is told as given up while a job for it is, and no more once that was requeued or discarded': breaking(
    'embeddings',
    (right) => {
      const before = new Set<CollectionId>();
      return {
        givenUp: async () => before,
        enqueue: async (effects) => {
          for (const { task } of effects.jobs ?? []) if (task.kind === 'embed') before.add(task.collectionId);
          await right.enqueue(effects);
        },
      };
    },
  ),
  'a job that is enqueued takes the place of those for its collection that were given up, and of no others': breaking(
    'embeddings',
    (_right, _stores, database) => ({
      enqueue: async (effects) => commit(database, effects, () => undefined),
    }),
  ),
  'of simultaneous enqueues of jobs for the same collections each collection gets one': breaking(
    'embeddings',
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
  'a run is planned from the ids of all collections': breaking('embeddings', (right) => ({
    startRun: (plan) => right.startRun((collections) => plan(collections.slice(1))),
  })),
  'a run is recorded with its jobs and entries, and answered': breaking('embeddings', (right) => ({
    startRun: (plan) => right.startRun((collections) => ({ ...plan(collections), entries: [] })),
  })),
  'while jobs of the last run wait no other is started, and that one is answered': breaking('embeddings', (right) => ({
    startRun: async (plan) => {
      const run = await right.startRun(plan);
      const planned = plan([]);
      if (planned.run.id !== run.id) await right.enqueue({ jobs: [], entries: planned.entries, deadline: null });
      return run;
    },
  })),
  'a job that is leased or was put off still waits for its run': counting(
    ({ leaseUntil }) => leaseUntil === null,
    () => false,
  ),
  'jobs of the last run are counted as waiting until they are done, and as failed once given up': counting(
    ({ givenUp }) => !givenUp,
    ({ givenUp }) => givenUp,
  ),
  'a run can be started once no job of the last one waits, and is the last one then': breaking(
    'embeddings',
    (right, _stores, { jobs }) => ({
      startRun: async (plan) => {
        const last = await right.lastRun();
        return last && [...jobs.values()].some(({ job }) => job.group === last.id) ? last : right.startRun(plan);
      },
    }),
  ),
  'a plan that raises passes that on and records nothing': breaking('embeddings', (right, stores) => ({
    startRun: (plan) => leaking(stores, right.startRun(plan)),
  })),
  'of simultaneous starts exactly one records its run, which all answer': breaking(
    'embeddings',
    (right, _stores, database) => ({
      startRun: async (plan) => {
        const last = await right.lastRun();
        await pause();
        if (!last) database.lastRun = null;
        return right.startRun(plan);
      },
    }),
  ),
  'there is no last run before the first': breaking('embeddings', (right, _stores, { jobs }) => ({
    lastRun: async () => {
      const [first] = jobs.values();
      const run = { id: first?.job.group ?? '', total: jobs.size, startedAt: 0, waiting: jobs.size, failed: 0 };
      return (await right.lastRun()) ?? run;
    },
  })),
};

describe('the memory embedding store', () => {
  proveContract(embeddingStoreContract, sabotages, createMemoryStores);
});
