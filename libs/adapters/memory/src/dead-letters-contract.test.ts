import { deadLettersContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import type { DeadLetter } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** A changed list of dead letters. */
const listing = (alter: (jobs: readonly DeadLetter[]) => readonly DeadLetter[]) =>
  breaking('deadLetters', (right) => ({ list: async (limit, after) => alter(await right.list(limit, after)) }));

/** Requeues that store a changed job. */
const requeuing = (alter: (after: StoredJob, before: StoredJob) => StoredJob) =>
  breaking('deadLetters', (right, _stores, { jobs }) => ({
    requeue: async (id, now, effects) => {
      const before = jobs.get(id);
      const outcome = await right.requeue(id, now, effects);
      const after = jobs.get(id);
      if (before && after) jobs.set(id, alter(after, before));
      return outcome;
    },
  }));

const sabotages: Sabotages<typeof deadLettersContract, Stores> = {
  'a dead letter says what it was for, how often it failed, why and since when, and no secret': listing((jobs) =>
    jobs.map((job) => ({ ...job, attempts: job.attempts - 1 })),
  ),
  'a dead letter names the profile or the collection that it is about, unless that is gone': listing((jobs) =>
    jobs.map((job) => ({ ...job, collectionName: null })),
  ),
  'dead letters are listed page by page, each after the place of the last one before': breaking(
    'deadLetters',
    (right) => ({
      list: async (limit, after = null) =>
        (await right.list(99)).filter(({ since }) => after === null || since < after.since).slice(0, limit),
    }),
  ),
  'dead letters are listed newest first, up to the limit': listing((jobs) => jobs.toReversed()),
  'a job that waits, is leased or is postponed is not listed as a dead letter': breaking(
    'deadLetters',
    (_right, _stores, { jobs }) => ({
      list: async () =>
        [...jobs.values()]
          .filter(({ error }) => error !== null)
          .map(({ job: { id, task, attempts, dueAt }, error }) => ({
            id,
            kind: task.kind,
            profileId: null,
            profileEmail: null,
            collectionId: null,
            collectionName: null,
            attempts,
            error: error ?? '',
            since: dueAt,
            secretRemoved: false,
          })),
    }),
  ),
  'a requeued job is due at once, as if it had never failed, and no other is': requeuing((after, before) => ({
    ...after,
    job: { ...after.job, attempts: before.job.attempts },
  })),
  'a requeue leaves alone a job that is gone or not a dead letter': breaking(
    'deadLetters',
    (right, _stores, { jobs }) => ({
      requeue: async (id, now, effects) => {
        const stored = jobs.get(id);
        if (stored) jobs.set(id, { ...stored, job: { ...stored.job, dueAt: now }, leaseUntil: null });
        return right.requeue(id, now, effects);
      },
    }),
  ),
  'a requeue leaves alone a job whose secret was removed': breaking('deadLetters', (right, _stores, { jobs }) => ({
    requeue: async (id, now, effects) => {
      const outcome = await right.requeue(id, now, effects);
      const stored = jobs.get(id);
      if (stored) jobs.set(id, { ...stored, isDeadLetter: false });
      return outcome;
    },
  })),
  'a requeue of several says what became of each, and decides on those that it requeues': breaking(
    'deadLetters',
    (right) => ({
      requeueEach: (ids, now, decide) => right.requeueEach(ids, now, () => decide([...ids])),
    }),
  ),
  'a requeue of several rethrows what its decision throws, and requeues none': breaking('deadLetters', (right) => ({
    requeueEach: async (ids, now, decide) => {
      const outcomes = await right.requeueEach(ids, now, () => noEffects);
      decide([...ids]);
      return outcomes;
    },
  })),
  'of concurrent requeues of one job, exactly one succeeds': breaking('deadLetters', (right, _stores, { jobs }) => ({
    requeue: async (id, now, effects) => {
      const before = jobs.get(id);
      await pause();
      if (before) jobs.set(id, before);
      return right.requeue(id, now, effects);
    },
  })),
  'a requeue of all requeues every job that can still be done, and returns how many': breaking(
    'deadLetters',
    (right) => ({
      requeueAll: async (now) => {
        const [job] = await right.list(1);
        return job && (await right.requeue(job.id, now, noEffects)) === 'requeued' ? 1 : 0;
      },
    }),
  ),
  'a requeued job of a re-index waits again and no longer counts as failed': requeuing((after) => ({
    ...after,
    job: { ...after.job, group: null },
  })),
  'only a dead letter can be discarded': breaking('deadLetters', (_right, { outbox }) => ({
    discard: async (id) => {
      await outbox.done(id);
      return true;
    },
  })),
  'a requeue of one dead letter writes its effects, and none if it leaves the job alone': breaking(
    'deadLetters',
    (right, { audit }) => ({
      requeue: async (id, now, effects) => {
        for (const entry of effects.entries ?? []) await audit.append(entry, null);
        return right.requeue(id, now, noEffects);
      },
    }),
  ),
  'a requeue of all decides on the number of jobs, and does not decide if there are none': breaking(
    'deadLetters',
    (right, { audit }) => ({
      requeueAll: async (now, decide) => {
        const count = await right.requeueAll(now, () => noEffects);
        for (const entry of decide(count).entries ?? []) await audit.append(entry, null);
        return count;
      },
    }),
  ),
  'a requeue of all rethrows what its decision throws, and requeues none': breaking('deadLetters', (right) => ({
    requeueAll: async (now, decide) => {
      const count = await right.requeueAll(now, () => noEffects);
      decide(count);
      return count;
    },
  })),
  'a discard writes its effects, and none if there is no dead letter': breaking('deadLetters', (right) => ({
    discard: (id) => right.discard(id, noEffects),
  })),
};

describe('the memory dead letters', () => {
  proveContract(deadLettersContract, sabotages, createMemoryStores);
});
