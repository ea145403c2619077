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
const createIds = (count: number): readonly JobId[] => Array.from({ length: count }, (_, n) => idOf(n));

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * The maximum number of pauses while waiting for a queue that never delivers. There are at most 100 per second, and
 * fewer on a slow machine, which therefore waits longer.
 */
const pausesMax = 12_000;
const pausesBetweenOffers = 100;

/** Waits until the condition is true. A queue may lose an id, so `retry` repeats the offer, as the relay does. */
const waitUntil = async (
  condition: () => boolean,
  message: string,
  retry: () => void = () => undefined,
): Promise<void> => {
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
  const gateOpening = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = async (id: JobId): Promise<void> => {
    started.push(id);
    await gateOpening;
    finished.push(id);
  };
  return { started, finished, work, open };
};

export const jobQueueContract = {
  'every offered id is delivered': async ({ queue }) => {
    const processedIds = new Set<JobId>();
    queue.start(async (id) => {
      processedIds.add(id);
    });
    const offer = (): void => queue.offer('embed', createIds(50));
    offer();
    await waitUntil(() => processedIds.size === 50, 'an id was never delivered', offer);
    await queue.stop();
  },

  'ids that are offered before the queue starts are delivered after it starts': async ({ queue }) => {
    const processedIds = new Set<JobId>();
    queue.offer('embed', createIds(5));
    await pause(20);
    queue.start(async (id) => {
      processedIds.add(id);
    });
    await waitUntil(() => processedIds.size === 5, 'an id that was offered before the start was never delivered');
    await queue.stop();
  },

  'a processed id is delivered again when it is offered again': async ({ queue }) => {
    let deliveryCount = 0;
    queue.start(async () => {
      deliveryCount++;
    });
    queue.offer('embed', [idOf(1)]);
    await waitUntil(() => deliveryCount >= 1, 'the id was never delivered');
    const before = deliveryCount;
    const offer = (): void => queue.offer('embed', [idOf(1)]);
    await pause(20);
    offer();
    await waitUntil(() => deliveryCount > before, 'the id was not delivered a second time', offer);
    await queue.stop();
  },

  'an offer returns before any work begins': async ({ queue }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', createIds(3));
    const startedDuringOffer = started.length;
    open();
    await waitUntil(
      () => started.length >= 3,
      'an id was never delivered',
      () => queue.offer('embed', createIds(3)),
    );
    await queue.stop();
    assert.equal(startedDuringOffer, 0, 'the work began before offer returned');
  },

  'no more jobs of a kind run concurrently than the queue allows': async ({ queue, concurrency }) => {
    const { started, finished, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', createIds(concurrency + 10));
    await waitUntil(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    await pause(30);
    const runningCount = started.length;
    open();
    await waitUntil(
      () => new Set(finished).size === concurrency + 10,
      'not all jobs ran',
      () => {
        queue.offer('embed', createIds(concurrency + 10));
      },
    );
    await queue.stop();
    assert.equal(runningCount, concurrency);
  },

  'jobs of other kinds run, however many jobs of one kind are in flight': async ({ queue, concurrency }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', createIds(concurrency + 10));
    await waitUntil(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    for (const [n, kind] of jobKinds.filter((jobKind) => jobKind !== 'embed').entries()) {
      const offer = (): void => queue.offer(kind, [idOf(1_000 + n)]);
      offer();
      await waitUntil(
        () => started.includes(idOf(1_000 + n)),
        `a job waits for jobs of a different kind: ${kind}`,
        offer,
      );
    }
    open();
    await queue.stop();
  },

  'stopping waits for the jobs in flight': async ({ queue }) => {
    const { started, finished, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', [idOf(1)]);
    await waitUntil(() => started.length > 0, 'the id was never delivered');
    let isStopped = false;
    const stopPromise = queue.stop().then(() => {
      isStopped = true;
    });
    await pause(30);
    const wasStoppedEarly = isStopped;
    open();
    await stopPromise;
    assert.ok(!wasStoppedEarly, 'stopping did not wait for the job in flight');
    assert.deepEqual(finished, started);
  },

  'after stopping, neither waiting ids nor later ones are delivered': async ({ queue, concurrency }) => {
    const { started, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', createIds(concurrency + 10));
    await waitUntil(() => started.length >= concurrency, 'fewer jobs run concurrently than the queue allows');
    const stopPromise = queue.stop();
    const countAtStop = started.length;
    open();
    await stopPromise;
    queue.offer('embed', createIds(concurrency + 20));
    await pause(30);
    assert.equal(started.length, countAtStop);
  },

  'a queue that was never started or is already stopped can be stopped': async ({ queue }) => {
    queue.offer('embed', createIds(3));
    await queue.stop();
    await queue.stop();
  },
} satisfies Contract<JobQueueSubject>;
