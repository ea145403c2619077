import { deadLettersContract, noEffects, type Sabotages, type Stores } from '@portico/contracts';
import type { DeadLetter } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import type { StoredJob } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

/** The list of jobs that were given up with something else in it. */
const listing = (alter: (jobs: readonly DeadLetter[]) => readonly DeadLetter[]) =>
  breaking('deadLetters', (right) => ({ list: async (limit) => alter(await right.list(limit)) }));

/** Requeues that leave something else behind. */
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
  'a job that was given up tells what it was for, how often it failed, why and since when, and no secret': listing(
    (jobs) => jobs.map((job) => ({ ...job, attempts: job.attempts - 1 })),
  ),
  'jobs that were given up are listed newest first, at most as many as asked for': listing((jobs) => jobs.toReversed()),
  'a job that waits, is leased or put off is not listed as given up': breaking(
    'deadLetters',
    (_right, _stores, { jobs }) => ({
      list: async () =>
        [...jobs.values()]
          .filter(({ error }) => error !== null)
          .map(({ job: { id, task, attempts, dueAt }, error }) => ({
            id,
            kind: task.kind,
            profileId: null,
            collectionId: null,
            attempts,
            error: error ?? '',
            since: dueAt,
            secretRemoved: false,
          })),
    }),
  ),
  'a job that is requeued is due at once, as if it had never failed, and no other is': requeuing((after, before) => ({
    ...after,
    job: { ...after.job, attempts: before.job.attempts },
  })),
  'a job that is gone or not given up is left alone by a requeue': breaking(
    'deadLetters',
    (right, _stores, { jobs }) => ({
      requeue: async (id, now, effects) => {
        const stored = jobs.get(id);
        if (stored) jobs.set(id, { ...stored, job: { ...stored.job, dueAt: now }, leaseUntil: null });
        return right.requeue(id, now, effects);
      },
    }),
  ),
  'a job whose secret was removed is left alone by a requeue': breaking('deadLetters', (right, _stores, { jobs }) => ({
    requeue: async (id, now, effects) => {
      const outcome = await right.requeue(id, now, effects);
      const stored = jobs.get(id);
      if (stored) jobs.set(id, { ...stored, isDeadLetter: false });
      return outcome;
    },
  })),
  'of simultaneous requeues of a job one succeeds': breaking('deadLetters', (right, _stores, { jobs }) => ({
    requeue: async (id, now, effects) => {
      const before = jobs.get(id);
      await pause();
      if (before) jobs.set(id, before);
      return right.requeue(id, now, effects);
    },
  })),
  'a requeue of all takes every job that can be done again, and tells how many': breaking('deadLetters', (right) => ({
    requeueAll: async (now) => {
      const [job] = await right.list(1);
      return job && (await right.requeue(job.id, now, noEffects)) === 'requeued' ? 1 : 0;
    },
  })),
  'a job of a re-index that is requeued waits again, and counts no longer as failed': requeuing((after) => ({
    ...after,
    job: { ...after.job, group: null },
  })),
  'a job that was given up can be discarded, and no other': breaking('deadLetters', (_right, { outbox }) => ({
    discard: async (id) => {
      await outbox.done(id);
      return true;
    },
  })),
  'a requeue of one dead letter writes its effects, and none where it is left alone': breaking(
    'deadLetters',
    (right, { audit }) => ({
      requeue: async (id, now, effects) => {
        for (const entry of effects.entries ?? []) await audit.append(entry, null);
        return right.requeue(id, now, noEffects);
      },
    }),
  ),
  'a requeue of all writes what is decided by their number, and decides nothing where there are none': breaking(
    'deadLetters',
    (right, { audit }) => ({
      requeueAll: async (now, decide) => {
        const count = await right.requeueAll(now, () => noEffects);
        for (const entry of decide(count).entries ?? []) await audit.append(entry, null);
        return count;
      },
    }),
  ),
  'a requeue of all whose decision raises passes that on and requeues none': breaking('deadLetters', (right) => ({
    requeueAll: async (now, decide) => {
      const count = await right.requeueAll(now, () => noEffects);
      decide(count);
      return count;
    },
  })),
  'a discard writes its effects, and none where there is no dead letter': breaking('deadLetters', (right) => ({
    discard: (id) => right.discard(id, noEffects),
  })),
};

describe('the memory dead letters', () => {
  proveContract(deadLettersContract, sabotages, createMemoryStores);
});
