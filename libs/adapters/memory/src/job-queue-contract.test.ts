import { jobQueueContract } from '@portico/contracts';
import type { JobQueueSubject, Sabotages } from '@portico/contracts';
import type { JobId, JobQueue } from '@portico/domain';
import { expect, test } from 'vitest';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryJobQueue } from './memory-job-queue.ts';

const createSubject = (): JobQueueSubject => ({
  queue: createMemoryJobQueue(),
  concurrency: 1,
  patienceMs: 500,
});

/** Puts other methods over the queue's own. */
const over =
  (change: (queue: JobQueue) => Partial<JobQueue>) =>
  (subject: JobQueueSubject): JobQueueSubject => {
    const { queue } = subject;
    const right: JobQueue = {
      offer: (kind, ids) => queue.offer(kind, ids),
      start: (work) => queue.start(work),
      stop: () => queue.stop(),
    };
    return { ...subject, queue: { ...right, ...change(queue) } };
  };

const sabotages: Sabotages<typeof jobQueueContract, JobQueueSubject> = {
  'every id that is offered is handed over': over((queue) => ({
    offer: (kind, ids) => queue.offer(kind, ids.slice(1)),
  })),
  'what is offered before the start waits for it': over((queue) => {
    let started = false;
    return {
      offer: (kind, ids) => (started ? queue.offer(kind, ids) : undefined),
      start: (work) => {
        started = true;
        queue.start(work);
      },
    };
  }),
  'an id that was worked is handed over again when it is offered again': over((queue) => {
    const offered = new Set<JobId>();
    return {
      offer: (kind, ids) => {
        queue.offer(
          kind,
          ids.filter((id) => !offered.has(id)),
        );
        for (const id of ids) offered.add(id);
      },
    };
  }),
  'an offer returns before anything is worked': over((queue) => {
    let work: ((id: JobId) => Promise<void>) | null = null;
    return {
      start: (newWork) => {
        work = newWork;
        queue.start(newWork);
      },
      offer: (_kind, ids) => {
        for (const id of ids) void work?.(id);
      },
    };
  }),
  'no more are worked at once than the queue is meant to': over(() => {
    const underWay: Promise<void>[] = [];
    let work: ((id: JobId) => Promise<void>) | null = null;
    return {
      start: (newWork) => {
        work = newWork;
      },
      offer: (_kind, ids) => {
        for (const id of ids) if (work) underWay.push(work(id));
      },
      stop: async () => {
        await Promise.all(underWay);
      },
    };
  }),
  'however many of one kind are under way, a job of each other kind is worked': over((queue) => ({
    offer: (_kind, ids) => queue.offer('embed', ids),
  })),
  'a stop waits for what is under way': over((queue) => ({
    stop: async () => {
      void queue.stop();
    },
  })),
  'a stop takes nothing more, neither what waited nor what is offered later': over(() => ({
    stop: async () => undefined,
  })),
  'a queue that was never started, or is stopped already, stops at once': over(() => ({
    stop: () => new Promise(() => undefined),
  })),
};

proveContract(jobQueueContract, sabotages, createSubject);

test('the work of a memory queue can be awaited', async () => {
  const queue = createMemoryJobQueue();
  const worked: string[] = [];
  queue.offer('embed', ['a', 'b'] as JobId[]);
  expect(queue.waiting).toEqual(['a', 'b']);
  queue.start(async (id) => {
    worked.push(id);
    if (id === 'a') queue.offer('embed', ['c'] as JobId[]);
  });
  await queue.idle();
  expect(worked).toEqual(['a', 'b', 'c']);
  await queue.stop();
});
