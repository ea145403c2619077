import type { AdminAuthority } from '../../access/principal.ts';
import type { JobId } from '../../ids.ts';
import type { DeadLetter, DeadLetterCursor, RequeueOutcome } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import { createAuditEffects, createSystemEntry } from '../audit/system-entry.ts';

type RequiredPorts = Pick<Ports, 'deadLetters' | 'clock' | 'random'>;

/** An operator's view of the outbox. */
export interface DeadLetterList {
  /** At most `limit` dead letters, newest first. */
  readonly deadLetters: readonly DeadLetter[];
  /** The number of dead letters, whether listed or not. */
  readonly total: number;
  /** The number of waiting jobs, including leased and postponed ones. */
  readonly waiting: number;
}

export const listDeadLetters =
  ({ deadLetters, outbox, clock }: Pick<Ports, 'deadLetters' | 'outbox' | 'clock'>) =>
  async (limit: number): Promise<DeadLetterList> => {
    const [letters, state] = await Promise.all([deadLetters.list(limit), outbox.readState(clock.now())]);
    return { deadLetters: letters, total: state.deadLetters, waiting: state.waiting };
  };

/** Returns at most `limit` dead letters, newest first, after that position. */
export const pageDeadLetters =
  ({ deadLetters }: Pick<Ports, 'deadLetters'>) =>
  (_authority: AdminAuthority, limit: number, after: DeadLetterCursor | null): Promise<readonly DeadLetter[]> =>
    deadLetters.list(limit, after);

/**
 * Requeues a dead letter; the relay offers it within a second. An email whose secret was removed can no longer be sent:
 * the client needs new credentials (`rotateCredentials`), and the job can be discarded.
 */
export const requeueJob =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, id: JobId): Promise<RequeueOutcome> =>
    ports.deadLetters.requeue(
      id,
      ports.clock.now(),
      createAuditEffects(ports, authority, { action: 'job.requeue', job_id: id }),
    );

/** The maximum number of jobs that are requeued by id in one call. */
export const requeuesMax = 100;

/** Requeues these dead letters in one change; returns the outcome for each. */
export const requeueEach =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, ids: ReadonlySet<JobId>): Promise<ReadonlyMap<JobId, RequeueOutcome>> =>
    ports.deadLetters.requeueEach(ids, ports.clock.now(), (requeuedIds) => ({
      entries: requeuedIds.map((id) =>
        createSystemEntry(ports, authority.actor, { action: 'job.requeue', job_id: id }),
      ),
      deadline: authority.deadline,
    }));

/** Requeues every dead letter that can still be done; returns the number of requeued jobs. */
export const requeueJobs =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority): Promise<number> =>
    ports.deadLetters.requeueAll(ports.clock.now(), (count) =>
      createAuditEffects(ports, authority, { action: 'job.requeue', count }),
    );

/** Removes a dead letter; returns whether there was one. */
export const discardJob =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, id: JobId): Promise<boolean> =>
    ports.deadLetters.discard(id, createAuditEffects(ports, authority, { action: 'job.discard', job_id: id }));
