import assert from 'node:assert/strict';
import { jobKinds, type JobId, type JobQueue } from '@portico/domain';
import type { Contract } from './contract.ts';

/** A queue that nobody has offered to or started. */
export interface JobQueueSubject {
  readonly queue: JobQueue;
  /** How many jobs of each kind it is meant to work at once. */
  readonly concurrency: number;
  /** How long it may take to hand over what it is offered. */
  readonly patienceMs: number;
}

const idOf = (n: number): JobId => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as JobId;
const ids = (count: number): readonly JobId[] => Array.from({ length: count }, (_, n) => idOf(n));

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until it is so. A queue may lose what it is offered, so that it is offered again, as the outbox does. */
const waiting =
  ({ patienceMs }: JobQueueSubject) =>
  async (isSo: () => boolean, because: string, again: () => void = () => undefined): Promise<void> => {
    for (let pauses = 1; pauses <= 100; pauses++) {
      if (isSo()) return;
      if (pauses % 20 === 0) again();
      await pause(patienceMs / 100);
    }
    assert.fail(because);
  };

/** Work that lasts until it is let go, and what has come to it. */
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
  'every id that is offered is handed over': async (subject) => {
    const { queue } = subject;
    const until = waiting(subject);
    const worked = new Set<JobId>();
    queue.start(async (id) => {
      worked.add(id);
    });
    const offer = (): void => queue.offer('embed', ids(50));
    offer();
    await until(() => worked.size === 50, 'an id was never handed over', offer);
    await queue.stop();
  },

  'what is offered before the start waits for it': async (subject) => {
    const { queue } = subject;
    const until = waiting(subject);
    const worked = new Set<JobId>();
    queue.offer('embed', ids(5));
    await pause(20);
    queue.start(async (id) => {
      worked.add(id);
    });
    await until(() => worked.size === 5, 'an id that was offered early was never handed over');
    await queue.stop();
  },

  'an id that was worked is handed over again when it is offered again': async (subject) => {
    const { queue } = subject;
    const until = waiting(subject);
    let times = 0;
    queue.start(async () => {
      times++;
    });
    queue.offer('embed', [idOf(1)]);
    await until(() => times >= 1, 'the id was never handed over');
    const before = times;
    const offer = (): void => queue.offer('embed', [idOf(1)]);
    await pause(20);
    offer();
    await until(() => times > before, 'the id was not handed over a second time', offer);
    await queue.stop();
  },

  'an offer returns before anything is worked': async (subject) => {
    const { queue } = subject;
    const until = waiting(subject);
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(3));
    const begunWithinTheOffer = begun.length;
    open();
    await until(
      () => begun.length >= 3,
      'an id was never handed over',
      () => queue.offer('embed', ids(3)),
    );
    await queue.stop();
    assert.equal(begunWithinTheOffer, 0, 'the caller of offer did the work');
  },

  'no more are worked at once than the queue is meant to': async (subject) => {
    const { queue, concurrency } = subject;
    const until = waiting(subject);
    const { begun, ended, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer are worked at once than the queue is meant to');
    await pause(30);
    const atOnce = begun.length;
    open();
    await until(
      () => new Set(ended).size === concurrency + 10,
      'not all were worked',
      () => {
        queue.offer('embed', ids(concurrency + 10));
      },
    );
    await queue.stop();
    assert.equal(atOnce, concurrency);
  },

  'however many of one kind are under way, a job of each other kind is worked': async (subject) => {
    const { queue, concurrency } = subject;
    const until = waiting(subject);
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer are worked at once than the queue is meant to');
    for (const [n, kind] of jobKinds.filter((other) => other !== 'embed').entries()) {
      const offer = (): void => queue.offer(kind, [idOf(1_000 + n)]);
      offer();
      await until(() => begun.includes(idOf(1_000 + n)), `a job waits behind those of another kind: ${kind}`, offer);
    }
    open();
    await queue.stop();
  },

  'a stop waits for what is under way': async (subject) => {
    const { queue } = subject;
    const until = waiting(subject);
    const { begun, ended, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', [idOf(1)]);
    await until(() => begun.length > 0, 'the id was never handed over');
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

  'a stop takes nothing more, neither what waited nor what is offered later': async (subject) => {
    const { queue, concurrency } = subject;
    const until = waiting(subject);
    const { begun, work, open } = createGate();
    queue.start(work);
    queue.offer('embed', ids(concurrency + 10));
    await until(() => begun.length >= concurrency, 'fewer are worked at once than the queue is meant to');
    const stopping = queue.stop();
    const atStop = begun.length;
    open();
    await stopping;
    queue.offer('embed', ids(concurrency + 20));
    await pause(30);
    assert.equal(begun.length, atStop);
  },

  'a queue that was never started, or is stopped already, stops at once': async ({ queue, patienceMs }) => {
    queue.offer('embed', ids(3));
    const stopsInTime = (): Promise<boolean> =>
      Promise.race([queue.stop().then(() => true), pause(patienceMs).then(() => false)]);
    assert.ok(await stopsInTime(), 'the first stop never ended');
    assert.ok(await stopsInTime(), 'the second stop never ended');
  },
} satisfies Contract<JobQueueSubject>;
