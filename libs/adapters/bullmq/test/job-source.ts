import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { jobKinds, type JobId, type JobKind, type JobQueue } from '@portico/domain';

/** A source of jobs that are offered repeatedly until they are done, like the outbox's jobs. */
export interface JobSource {
  readonly ids: readonly JobId[];
  /** The number of jobs that are not done yet. */
  readonly remainingCount: number;
  /** How often each job was delivered. */
  readonly deliveries: ReadonlyMap<JobId, number>;
  process(id: JobId): Promise<void>;
  /** Offers the remaining jobs until `end` is called. */
  relayTo(queue: JobQueue): { end(): void };
}

/** A fallback that processes nothing. */
export const noFallback: JobQueue = { offer: () => undefined, start: () => undefined, stop: async () => undefined };

/** Returns the same concurrency for each kind. */
export const concurrencyOf = (count: number) =>
  Object.fromEntries(jobKinds.map((kind) => [kind, count])) as Readonly<Record<JobKind, number>>;

export const createIds = (count: number): readonly JobId[] =>
  Array.from({ length: count }, () => randomUUID() as JobId);

/** Creates a source of `count` jobs. By default, each job takes 20 ms. */
export const createJobSource = (count: number, runJob: () => Promise<unknown> = () => pause(20)): JobSource => {
  const ids = createIds(count);
  const pendingIds = new Set(ids);
  const leasedIds = new Set<JobId>();
  const deliveries = new Map<JobId, number>();
  return {
    ids,
    get remainingCount() {
      return pendingIds.size;
    },
    deliveries,
    async process(id) {
      deliveries.set(id, (deliveries.get(id) ?? 0) + 1);
      if (!pendingIds.has(id) || leasedIds.has(id)) return;
      leasedIds.add(id);
      await runJob();
      leasedIds.delete(id);
      pendingIds.delete(id);
    },
    relayTo(queue) {
      const timer = setInterval(
        () => queue.offer('embed', [...pendingIds].filter((id) => !leasedIds.has(id)).slice(0, 500)),
        100,
      );
      return { end: () => clearInterval(timer) };
    },
  };
};
