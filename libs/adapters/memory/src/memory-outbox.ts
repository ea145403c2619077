import type { Instant, JobCounts, JobId, JobKind, JobTask, Outbox } from '@portico/domain';
import { commit, frozenCopy, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryOutbox = (database: MemoryDatabase): Outbox => {
  const { jobs } = database;
  return {
    onWritten(listener) {
      database.onJobsWritten = listener;
    },

    async due(kind, now, limit) {
      return [...jobs.values()]
        .filter((stored) => stored.job.task.kind === kind && isClaimable(stored, now))
        .sort((a, b) => a.job.dueAt - b.job.dueAt)
        .slice(0, limit)
        .map(({ job }) => job.id);
    },

    async claim(id, now, leaseUntil) {
      const stored = jobs.get(id);
      if (!stored || !isClaimable(stored, now)) return null;
      jobs.set(id, { ...stored, leaseUntil });
      return stored.job;
    },

    async extend(id, leaseUntil, nextUntil) {
      const stored = jobs.get(id);
      if (!stored || stored.leaseUntil !== leaseUntil) return false;
      jobs.set(id, { ...stored, leaseUntil: nextUntil });
      return true;
    },

    async done(id) {
      jobs.delete(id);
    },

    async retry(id, dueAt, error) {
      const stored = jobs.get(id);
      if (!stored || stored.isDeadLetter) return;
      const job = frozenCopy({ ...stored.job, dueAt, attempts: stored.job.attempts + 1 });
      jobs.set(id, { ...stored, job, leaseUntil: null, error });
    },

    async rest(claimed, next) {
      rest(jobs, claimed, next);
    },

    async deadLetter(id, now, error) {
      deadLetter(jobs, id, now, error);
    },

    async sealed() {
      return [...jobs.values()].flatMap(({ job: { id, task }, isDeadLetter }) =>
        'sealed' in task && !isDeadLetter ? [{ id, sealed: task.sealed }] : [],
      );
    },

    async reseal(id, before, after, effects) {
      const stored = jobs.get(id);
      if (!stored || stored.isDeadLetter || !('sealed' in stored.job.task) || stored.job.task.sealed !== before)
        return false;
      const job = frozenCopy({ ...stored.job, task: { ...stored.job.task, sealed: after } });
      commit(database, effects, () => jobs.set(id, { ...stored, job }));
      return true;
    },

    counts: async (now) => countsByKind(jobs, now),

    state: async (now) => stateOf(jobs, now),
  };
};

const stateOf = (jobs: MemoryDatabase['jobs'], now: Instant): Awaited<ReturnType<Outbox['state']>> => {
  const waiting = [...jobs.values()].filter(({ job, isDeadLetter }) => !isDeadLetter && !isResting(job.task));
  const due = waiting.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now);
  return {
    waiting: waiting.length,
    deadLetters: [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter).length,
    oldestDueAt: earliest(due),
  };
};

const countsByKind = (jobs: MemoryDatabase['jobs'], now: Instant): readonly JobCounts[] => {
  const counted = [...jobs.values()].filter(({ job, isDeadLetter }) => isDeadLetter || !isResting(job.task));
  const kinds = Map.groupBy(counted, ({ job }) => job.task.kind);
  return [...kinds].map(([kind, stored]) => countsOf(kind, stored, now));
};

const countsOf = (kind: JobKind, all: readonly StoredJob[], now: Instant): JobCounts => {
  const pending = all.filter(({ isDeadLetter }) => !isDeadLetter);
  const unleased = pending.filter(({ leaseUntil }) => leaseUntil === null || leaseUntil <= now);
  const failed = unleased.filter(({ job }) => job.attempts > 0);
  return {
    kind,
    waiting: unleased.length - failed.length,
    running: pending.length - unleased.length,
    retrying: failed.length,
    nextRetryAt: earliest(failed.map(({ job }) => job.dueAt)),
    deadLetters: all.length - pending.length,
    oldestDueAt: earliest(pending.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now)),
  };
};

const earliest = (instants: readonly Instant[]): Instant | null => (instants.length > 0 ? Math.min(...instants) : null);

const rest = (jobs: MemoryDatabase['jobs'], ...[{ id, task }, next]: Parameters<Outbox['rest']>): void => {
  const stored = jobs.get(id);
  if (!stored || stored.isDeadLetter || stored.job.task.kind !== 'mail.notice') return;
  const remaining = { ...stored.job.task, requestCount: stored.job.task.requestCount - task.requestCount };
  jobs.delete(id);
  const job = frozenCopy({ ...stored.job, ...next, task: remaining, attempts: 0 });
  jobs.set(next.id, { job, leaseUntil: null, error: null, isDeadLetter: false });
};

/** Turns a job into a dead letter, synchronously, so that callers can use it within an atomic change. */
export const deadLetter = (jobs: MemoryDatabase['jobs'], id: JobId, now: Instant, error: string): void => {
  const stored = jobs.get(id);
  if (!stored || stored.isDeadLetter) return;
  const { attempts, task } = stored.job;
  const job = frozenCopy({ ...stored.job, task: withoutSecret(task), attempts: attempts + 1, dueAt: now });
  jobs.set(id, { job, leaseUntil: null, error, isDeadLetter: true });
};

const isClaimable = ({ job, leaseUntil, isDeadLetter }: StoredJob, now: Instant): boolean =>
  !isDeadLetter && !isResting(job.task) && job.dueAt <= now && (leaseUntil === null || leaseUntil <= now);

const isResting = (task: JobTask): boolean => task.kind === 'mail.notice' && task.requestCount === 0;

const withoutSecret = (task: JobTask): JobTask => ('sealed' in task ? { ...task, sealed: '' } : task);
