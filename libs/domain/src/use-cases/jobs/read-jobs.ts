import type { AdminAuthority } from '../../access/principal.ts';
import type { Instant } from '../../instant.ts';
import { type JobCounts, jobKinds, overdueMaxMs } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';

/** An administrator's view of the outbox. */
export interface JobOverview {
  /** The kinds that have jobs, in the order of `jobKinds`. */
  readonly kinds: readonly JobCounts[];
  /** When the first of the failed jobs is due; null if there are none. */
  readonly nextRetryAt: Instant | null;
  /** When the oldest due job became due; null if none is due. */
  readonly oldestDueAt: Instant | null;
  /** How long the oldest due job has been due, in whole seconds; 0 if none is due. */
  readonly oldestDueSeconds: number;
  /** Whether a job has been due for so long that no process seems to run jobs. */
  readonly seemsStopped: boolean;
}

export const readJobs =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (_authority: AdminAuthority): Promise<JobOverview> => {
    const now = clock.now();
    const counts = await outbox.countByKind(now);
    const oldestDueAt = findEarliestInstant(counts.map((jobCounts) => jobCounts.oldestDueAt));
    const dueForMs = oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt);
    return {
      kinds: counts.toSorted((a, b) => jobKinds.indexOf(a.kind) - jobKinds.indexOf(b.kind)),
      nextRetryAt: findEarliestInstant(counts.map((jobCounts) => jobCounts.nextRetryAt)),
      oldestDueAt,
      oldestDueSeconds: Math.floor(dueForMs / 1_000),
      seemsStopped: dueForMs > overdueMaxMs,
    };
  };

const findEarliestInstant = (instants: readonly (Instant | null)[]): Instant | null =>
  instants.reduce(
    (current, instant) => (instant !== null && (current === null || instant < current) ? instant : current),
    null,
  );
