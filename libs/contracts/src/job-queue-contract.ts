import assert from 'node:assert/strict';
import { jobKinds, type JobId, type JobQueue } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A new queue, which has not been started or offered any jobs. */
export interface JobQueueSubject {
  readonly queue: JobQueue;
  /** The number of jobs of each kind that the queue runs concurrently. */
  readonly concurrency: number;
}

const idOf = (n: number): JobId => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as JobId;
const ids = (count: number): readonly JobId[] => Array.from({ length: count }, (_, n) => idOf(n));

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * The maximum number of pauses while waiting for a queue that never delivers. There are at most 100 per second, and
 * fewer on a slow machine, which therefore waits longer.
 */
const pausesMax = 12_000;
const pausesBetweenOffers = 100;

/** Waits until the condition is true. A queue may lose an id, so `retry` repeats the offer, as the relay does. */
const until = async (condition: () => boolean, message: string, retry: () => void = () => undefined): Promise<void> => {
  for (let pauses = 1; pauses <= pausesMax; pauses++) {
    if (condition()) return;
    if (pauses % pausesBetweenOffers === 0) retry();
    await pause(10);
  }
  assert.fail(message);
};

/** Creates work that lasts until `open` is called and records the ids that it receives. */
const createGate = () => {
  const started: JobId[] = [];
  const finished: JobId[] = [];
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = async (id: JobId): Promise<void> => {
    started.push(id);
    await opened;
    finished.push(id);
  };
  return { started, finished, work, open };
};

export const jobQueueContract = {
  'every offered id is delivered': async ({ queue }) => {
    const processed = new Set<JobId>();
    queue.start(async (id) => {
      processed.add(id);
    });
    const offer = (): void => queue.offer('embed', ids(50));
    offer();
    await until(() => processed.size === 50, 'an id was never delivered', offer);
    await queue.stop();
  },

  'ids offered before the start are delivered after it': async ({ queue }) => {
    const processed = new Set<JobId>();
    queue.offer('embed', ids(5));
    await pause(20);
    queue.start(async (id) => {
      processed.add(id);
    });
    await until(() => processed.size === 5, 'an id that was offered early was never delivered');
    await queue.stop();
  },

  'a processed id is delivered again when it is offered again': async ({ queue }) => {
    let times = 0;
    queue.start(async () => {
      times++;
    });
    queue.offer('embed', [idOf(1)]);
    await until(() => times >= 1, 'the id was never delivered');
    const before = times;
    const offer = (): void => queue.offer('embed', [idOf(1)]);
    await pause(20);
    offer();
    await until(() => times > before, 'the id was not delivered a second time', offer);
    await queue.stop();
  },

  'an offer returns before any work begins': async ({ queue }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(3));
    const startedDuringOffer = started.length;
    open();
    await until(
      () => started.length >= 3,
      'an id was never delivered',
      () => queue.offer('embed', ids(3)),
    );
    await queue.stop();
    assert.equal(startedDuringOffer, 0, 'the caller of offer did the work');
  },

  'no more jobs of a kind run concurrently than the queue allows': async ({ queue, concurrency }) => {
    const { started, finished, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    await pause(30);
    const concurrent = started.length;
    open();
    await until(
      () => new Set(finished).size === concurrency + 10,
      'not all jobs ran',
      () => {
        queue.offer('embed', ids(concurrency + 10));
      },
    );
    await queue.stop();
    assert.equal(concurrent, concurrency);
  },

  'a job of any other kind runs, however many jobs of one kind are in flight': async ({ queue, concurrency }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    for (const [n, kind] of jobKinds.filter((other) => other !== 'embed').entries()) {
      const offer = (): void => queue.offer(kind, [idOf(1_000 + n)]);
      offer();
      await until(() => started.includes(idOf(1_000 + n)), `a job waits behind those of another kind: ${kind}`, offer);
    }
    open();
    await queue.stop();
  },

  'a stop waits for the jobs in flight': async ({ queue }) => {
    const { started, finished, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', [idOf(1)]);
    await until(() => started.length > 0, 'the id was never delivered');
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await pause(30);
    const stoppedEarly = stopped;
    open();
    await stopping;
    assert.ok(!stoppedEarly, 'the stop did not wait');
    assert.deepEqual(finished, started);
  },

  'after a stop nothing is delivered, neither waiting ids nor later ones': async ({ queue, concurrency }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    const stopping = queue.stop();
    const atStop = started.length;
    open();
    await stopping;
    queue.offer('embed', ids(concurrency + 20));
    await pause(30);
    assert.equal(started.length, atStop);
  },

  'a queue that was never started or is already stopped can be stopped': async ({ queue }) => {
    queue.offer('embed', ids(3));
    await queue.stop();
    await queue.stop();
  },
} satisfies Contract<JobQueueSubject>;
