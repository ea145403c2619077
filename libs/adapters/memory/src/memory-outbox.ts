import type { Instant, JobCounts, JobId, JobKind, JobTask, Outbox } from '@portico/domain';
import { commit, copyFrozen, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryOutbox = (database: MemoryDatabase): Outbox => {
  const { jobs } = database;
  return {
    onWritten(listener) {
      database.onJobsWritten = listener;
    },

    async listDue(kind, now, limit) {
      return [...jobs.values()]
        .filter((storedJob) => storedJob.job.task.kind === kind && isClaimable(storedJob, now))
        .sort((a, b) => a.job.dueAt - b.job.dueAt)
        .slice(0, limit)
        .map(({ job }) => job.id);
    },

    async claim(id, now, leaseUntil) {
      const storedJob = jobs.get(id);
      if (!storedJob || !isClaimable(storedJob, now)) return null;
      jobs.set(id, { ...storedJob, leaseUntil });
      return storedJob.job;
    },

    async extend(id, leaseUntil, newLeaseUntil) {
      const storedJob = jobs.get(id);
      if (!storedJob || storedJob.leaseUntil !== leaseUntil) return false;
      jobs.set(id, { ...storedJob, leaseUntil: newLeaseUntil });
      return true;
    },

    complete: async (id) => void jobs.delete(id),

    async retry(id, dueAt, error) {
      const storedJob = jobs.get(id);
      if (!storedJob || storedJob.isDeadLetter) return;
      const job = copyFrozen({ ...storedJob.job, dueAt, attempts: storedJob.job.attempts + 1 });
      jobs.set(id, { ...storedJob, job, leaseUntil: null, error });
    },

    restNotice: async (claimedJob, next) => restNotice(jobs, claimedJob, next),

    deadLetter: async (id, now, error) => deadLetter(jobs, id, now, error),

    async listSealed() {
      return [...jobs.values()].flatMap(({ job: { id, task }, isDeadLetter }) =>
        'sealed' in task && !isDeadLetter ? [{ id, sealed: task.sealed }] : [],
      );
    },

    async reseal(id, currentSealed, newSealed, effects) {
      const storedJob = jobs.get(id);
      if (
        !storedJob ||
        storedJob.isDeadLetter ||
        !('sealed' in storedJob.job.task) ||
        storedJob.job.task.sealed !== currentSealed
      )
        return false;
      const job = copyFrozen({ ...storedJob.job, task: { ...storedJob.job.task, sealed: newSealed } });
      commit(database, effects, () => jobs.set(id, { ...storedJob, job }));
      return true;
    },

    countByKind: async (now) => countJobsByKind(jobs, now),

    readState: async (now) => stateOf(jobs, now),
  };
};

const stateOf = (jobs: MemoryDatabase['jobs'], now: Instant): Awaited<ReturnType<Outbox['readState']>> => {
  const waitingJobs = [...jobs.values()].filter(({ job, isDeadLetter }) => !isDeadLetter && !isIdleNotice(job.task));
  const dueTimes = waitingJobs.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now);
  return {
    waiting: waitingJobs.length,
    deadLetters: [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter).length,
    oldestDueAt: earliestOf(dueTimes),
  };
};

const countJobsByKind = (jobs: MemoryDatabase['jobs'], now: Instant): readonly JobCounts[] => {
  const countedJobs = [...jobs.values()].filter(({ job, isDeadLetter }) => isDeadLetter || !isIdleNotice(job.task));
  const kinds = Map.groupBy(countedJobs, ({ job }) => job.task.kind);
  return [...kinds].map(([kind, storedJobs]) => countsOf(kind, storedJobs, now));
};

const countsOf = (kind: JobKind, storedJobs: readonly StoredJob[], now: Instant): JobCounts => {
  const pendingJobs = storedJobs.filter(({ isDeadLetter }) => !isDeadLetter);
  const unleasedJobs = pendingJobs.filter(({ leaseUntil }) => leaseUntil === null || leaseUntil <= now);
  const failedJobs = unleasedJobs.filter(({ job }) => job.attempts > 0);
  return {
    kind,
    waiting: unleasedJobs.length - failedJobs.length,
    running: pendingJobs.length - unleasedJobs.length,
    retrying: failedJobs.length,
    nextRetryAt: earliestOf(failedJobs.map(({ job }) => job.dueAt)),
    deadLetters: storedJobs.length - pendingJobs.length,
    oldestDueAt: earliestOf(pendingJobs.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now)),
  };
};

const earliestOf = (instants: readonly Instant[]): Instant | null =>
  instants.length > 0 ? Math.min(...instants) : null;

const restNotice = (jobs: MemoryDatabase['jobs'], ...[{ id, task }, next]: Parameters<Outbox['restNotice']>): void => {
  const storedJob = jobs.get(id);
  if (!storedJob || storedJob.isDeadLetter || storedJob.job.task.kind !== 'mail.notice') return;
  const remainingTask = { ...storedJob.job.task, requestCount: storedJob.job.task.requestCount - task.requestCount };
  jobs.delete(id);
  const job = copyFrozen({ ...storedJob.job, ...next, task: remainingTask, attempts: 0 });
  jobs.set(next.id, { job, leaseUntil: null, error: null, isDeadLetter: false });
};

/** Turns a job into a dead letter. Synchronous, so that callers can use it within an atomic change. */
export const deadLetter = (jobs: MemoryDatabase['jobs'], id: JobId, now: Instant, error: string): void => {
  const storedJob = jobs.get(id);
  if (!storedJob || storedJob.isDeadLetter) return;
  const { attempts, task } = storedJob.job;
  const job = copyFrozen({ ...storedJob.job, task: removeSecret(task), attempts: attempts + 1, dueAt: now });
  jobs.set(id, { job, leaseUntil: null, error, isDeadLetter: true });
};

const isClaimable = ({ job, leaseUntil, isDeadLetter }: StoredJob, now: Instant): boolean =>
  !isDeadLetter && !isIdleNotice(job.task) && job.dueAt <= now && (leaseUntil === null || leaseUntil <= now);

const isIdleNotice = (task: JobTask): boolean => task.kind === 'mail.notice' && task.requestCount === 0;

const removeSecret = (task: JobTask): JobTask => ('sealed' in task ? { ...task, sealed: '' } : task);
