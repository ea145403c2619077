import type { JobId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';

/**
 * The maximum delay of a running job after a crash. Each of a job's port calls takes less; all of them together may
 * take longer.
 */
export const leaseMs = 20_000;

/** A lease is extended at this age, so that the remaining time is enough for any single port call. */
const extendedAfterMs = 4_000;

/** Stops a job at a checkpoint: the process is about to stop, or another worker has leased the job. */
export class JobInterruptedError extends Error {
  constructor() {
    super('The job was interrupted');
    this.name = 'JobInterruptedError';
  }
}

interface Lease {
  /** Extends the lease if it is a few seconds old. Throws `JobInterruptedError` if that fails, or once `isStopping`. */
  readonly checkpoint: Checkpoint;
  /** Does nothing if another worker has leased the job. */
  readonly release: () => Promise<void>;
}

/** Creates the lease of a job that was claimed until `claimedUntil`. */
export const createLease = (
  { outbox, clock }: Pick<Ports, 'outbox' | 'clock'>,
  id: JobId,
  claimedUntil: Instant,
  isStopping: () => boolean,
): Lease => {
  let until = claimedUntil;
  return {
    checkpoint: async () => {
      if (isStopping()) throw new JobInterruptedError();
      const nextUntil = clock.now() + leaseMs;
      if (nextUntil - until < extendedAfterMs) return;
      if (!(await outbox.extend(id, until, nextUntil))) throw new JobInterruptedError();
      until = nextUntil;
    },
    release: async () => {
      await outbox.extend(id, until, clock.now());
    },
  };
};
