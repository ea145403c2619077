import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { jobKinds, type JobId, type JobKind, type JobQueue } from '@portico/domain';

/** Jobs that stay until they are done and are offered repeatedly, like those of the outbox. */
export interface JobSource {
  readonly ids: readonly JobId[];
  /** How many are not done yet. */
  readonly left: number;
  /** How often each was handed over. */
  readonly handedOver: ReadonlyMap<JobId, number>;
  work(id: JobId): Promise<void>;
  /** Offers what is left, until `end` is called. */
  relayTo(queue: JobQueue): { end(): void };
}

/** A fallback that works nothing. */
export const noFallback: JobQueue = { offer: () => undefined, start: () => undefined, stop: async () => undefined };

/** That many of each kind. */
export const atOnce = (count: number) =>
  Object.fromEntries(jobKinds.map((kind) => [kind, count])) as Readonly<Record<JobKind, number>>;

export const newIds = (count: number): readonly JobId[] => Array.from({ length: count }, () => randomUUID() as JobId);

/** The work on each lasts 20 ms, or as said. */
export const createJobSource = (count: number, work: () => Promise<unknown> = () => pause(20)): JobSource => {
  const ids = newIds(count);
  const left = new Set(ids);
  const leased = new Set<JobId>();
  const handedOver = new Map<JobId, number>();
  return {
    ids,
    get left() {
      return left.size;
    },
    handedOver,
    async work(id) {
      handedOver.set(id, (handedOver.get(id) ?? 0) + 1);
      if (!left.has(id) || leased.has(id)) return;
      leased.add(id);
      await work();
      leased.delete(id);
      left.delete(id);
    },
    relayTo(queue) {
      const timer = setInterval(
        () => queue.offer('embed', [...left].filter((id) => !leased.has(id)).slice(0, 500)),
        100,
      );
      return { end: () => clearInterval(timer) };
    },
  };
};
