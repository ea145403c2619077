import type { JobId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Checkpoint, Ports } from '../../ports/index.ts';

/** How long a crash delays a job under way. Each port call of a job takes less; all of them together may take longer. */
export const leaseMs = 20_000;

/** A lease this old is extended, so that what is left of it lasts for any one port call. */
const extendedAfterMs = 4_000;

/** Ends a job at a checkpoint: the process is about to end, or another worker has leased the job. */
export class JobInterrupted extends Error {
  constructor() {
    super('The job was interrupted');
    this.name = 'JobInterrupted';
  }
}

interface Lease {
  /** Extends the lease if it is a few seconds old. Throws `JobInterrupted` if that fails, or once `isEnding`. */
  readonly checkpoint: Checkpoint;
  /** Does nothing if another worker has leased the job. */
  readonly release: () => Promise<void>;
}

/** The lease of a job that was claimed until `claimedUntil`. */
export const createLease = (
  { outbox, clock }: Pick<Ports, 'outbox' | 'clock'>,
  id: JobId,
  claimedUntil: Instant,
  isEnding: () => boolean,
): Lease => {
  let until = claimedUntil;
  return {
    checkpoint: async () => {
      if (isEnding()) throw new JobInterrupted();
      const next = clock.now() + leaseMs;
      if (next - until < extendedAfterMs) return;
      if (!(await outbox.extend(id, until, next))) throw new JobInterrupted();
      until = next;
    },
    release: async () => {
      await outbox.extend(id, until, clock.now());
    },
  };
};
