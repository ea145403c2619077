import type { JobId } from '../../ids.ts';
import type { GivenUpJob, RequeueOutcome } from '../../jobs/dead-letter.ts';
import type { Ports } from '../../ports/index.ts';

type Needs = Pick<Ports, 'outbox' | 'clock'>;

/** What an operator sees of the outbox. */
export interface GivenUpJobs {
  /** Newest first; at most as many as asked for. */
  readonly jobs: readonly GivenUpJob[];
  /** How many there are, whether they are listed or not. */
  readonly givenUp: number;
  /** How many wait for their turn, leased and put off ones included. */
  readonly waiting: number;
}

export const listGivenUpJobs =
  ({ outbox, clock }: Needs) =>
  async (limit: number): Promise<GivenUpJobs> => {
    const [jobs, { givenUp, waiting }] = await Promise.all([outbox.givenUp(limit), outbox.state(clock.now())]);
    return { jobs, givenUp, waiting };
  };

/**
 * Lets a job that was given up begin anew; the relay offers it within a second. A mail whose secret was removed when it was given
 * up cannot be sent any more: its client needs new credentials (`rotateCredentials`), and the job can be discarded.
 */
export const requeueJob =
  ({ outbox, clock }: Needs) =>
  (id: JobId): Promise<RequeueOutcome> =>
    outbox.requeue(id, clock.now());

/** The same for every job that can be done again; returns how many those are. */
export const requeueJobs =
  ({ outbox, clock }: Needs) =>
  (): Promise<number> =>
    outbox.requeueAll(clock.now());

/** Forgets a job that was given up; returns whether there was one. */
export const discardJob =
  ({ outbox }: Needs) =>
  (id: JobId): Promise<boolean> =>
    outbox.discard(id);
