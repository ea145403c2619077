import assert from 'node:assert/strict';
import { jobKinds, type JobId, type JobQueue } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A fresh queue: nothing offered, not started. */
export interface JobQueueSubject {
  readonly queue: JobQueue;
  /** How many jobs of each kind it runs at once. */
  readonly concurrency: number;
}

const idOf = (n: number): JobId => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as JobId;
const ids = (count: number): readonly JobId[] => Array.from({ length: count }, (_, n) => idOf(n));

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** For a queue that never delivers, however slow the machine is: a hundred pauses a second at most. */
const pausesMax = 12_000;
const pausesBetweenOffers = 100;

/** Waits until the condition holds. A queue may lose an id, so `again` repeats the offer, as the relay does. */
const until = async (isSo: () => boolean, because: string, again: () => void = () => undefined): Promise<void> => {
  for (let pauses = 1; pauses <= pausesMax; pauses++) {
    if (isSo()) return;
    if (pauses % pausesBetweenOffers === 0) again();
    await pause(10);
  }
  assert.fail(because);
};

/** Work that lasts until `open` is called, with a record of the ids it got. */
const createGate = () => {
  const begun: JobId[] = [];
  const ended: JobId[] = [];
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const work = async (id: JobId): Promise<void> => {
    begun.push(id);
    await opened;
    ended.push(id);
  };
  return { begun, ended, work, open };
};

export const jobQueueContract = {
  'every offered id is delivered': async ({ queue }) => {
    const worked = new Set<JobId>();
    queue.start(async (id) => {
      worked.add(id);
    });
    const offer = (): void => queue.offer('embed', ids(50));
    offer();
    await until(() => worked.size === 50, 'an id was never delivered', offer);
    await queue.stop();
  },

  'ids offered before the start wait for it': async ({ queue }) => {
    const worked = new Set<JobId>();
    queue.offer('embed', ids(5));
    await pause(20);
    queue.start(async (id) => {
      worked.add(id);
    });
    await until(() => worked.size === 5, 'an id that was offered early was never delivered');
    await queue.stop();
  },

  'a worked id is delivered again when it is offered again': async ({ queue }) => {
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
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(3));
    const begunWithinTheOffer = begun.length;
    open();
    await until(
      () => begun.length >= 3,
      'an id was never delivered',
      () => queue.offer('embed', ids(3)),
    );
    await queue.stop();
    assert.equal(begunWithinTheOffer, 0, 'the caller of offer did the work');
  },

  'no more jobs of a kind run at once than the queue allows': async ({ queue, concurrency }) => {
    const { begun, ended, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer jobs run at once than the queue allows');
    await pause(30);
    const atOnce = begun.length;
    open();
    await until(
      () => new Set(ended).size === concurrency + 10,
      'not all jobs ran',
      () => {
        queue.offer('embed', ids(concurrency + 10));
      },
    );
    await queue.stop();
    assert.equal(atOnce, concurrency);
  },

  'however many jobs of one kind are under way, a job of any other kind runs': async ({ queue, concurrency }) => {
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer jobs run at once than the queue allows');
    for (const [n, kind] of jobKinds.filter((other) => other !== 'embed').entries()) {
      const offer = (): void => queue.offer(kind, [idOf(1_000 + n)]);
      offer();
      await until(() => begun.includes(idOf(1_000 + n)), `a job waits behind those of another kind: ${kind}`, offer);
    }
    open();
    await queue.stop();
  },

  'a stop waits for the jobs under way': async ({ queue }) => {
    const { begun, ended, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', [idOf(1)]);
    await until(() => begun.length > 0, 'the id was never delivered');
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await pause(30);
    const stoppedEarly = stopped;
    open();
    await stopping;
    assert.ok(!stoppedEarly, 'the stop did not wait');
    assert.deepEqual(ended, begun);
  },

  'after a stop nothing more is delivered, neither waiting ids nor later ones': async ({ queue, concurrency }) => {
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer jobs run at once than the queue allows');
    const stopping = queue.stop();
    const atStop = begun.length;
    open();
    await stopping;
    queue.offer('embed', ids(concurrency + 20));
    await pause(30);
    assert.equal(begun.length, atStop);
  },

  'a queue that was never started or is already stopped can be stopped': async ({ queue }) => {
    queue.offer('embed', ids(3));
    await queue.stop();
    await queue.stop();
  },
} satisfies Contract<JobQueueSubject>;
