import type { Instant, JobCounts, JobId, JobKind, JobTask, Outbox } from '@portico/domain';
import { commit, kept, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryOutbox = (database: MemoryDatabase): Outbox => {
  const { jobs } = database;
  return {
    whenWritten(tell) {
      database.tellWritten = tell;
    },

    async due(kind, now, limit) {
      return [...jobs.values()]
        .filter((stored) => stored.job.task.kind === kind && isFree(stored, now))
        .sort((a, b) => a.job.dueAt - b.job.dueAt)
        .slice(0, limit)
        .map(({ job }) => job.id);
    },

    async claim(id, now, leaseUntil) {
      const stored = jobs.get(id);
      if (!stored || !isFree(stored, now)) return null;
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
      const job = kept({ ...stored.job, dueAt, attempts: stored.job.attempts + 1 });
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
      const job = kept({ ...stored.job, task: { ...stored.job.task, sealed: after } });
      commit(database, effects, () => jobs.set(id, { ...stored, job }));
      return true;
    },

    counts: async (now) => countsByKind(jobs, now),

    state: async (now) => stateOf(jobs, now),
  };
};

const stateOf = (jobs: MemoryDatabase['jobs'], now: Instant): Awaited<ReturnType<Outbox['state']>> => {
  const waiting = [...jobs.values()].filter(({ job, isDeadLetter }) => !isDeadLetter && !isAtRest(job.task));
  const due = waiting.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now);
  return {
    waiting: waiting.length,
    deadLetters: [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter).length,
    oldestDueAt: first(due),
  };
};

const countsByKind = (jobs: MemoryDatabase['jobs'], now: Instant): readonly JobCounts[] => {
  const counted = [...jobs.values()].filter(({ job, isDeadLetter }) => isDeadLetter || !isAtRest(job.task));
  const kinds = Map.groupBy(counted, ({ job }) => job.task.kind);
  return [...kinds].map(([kind, stored]) => countsOf(kind, stored, now));
};

const countsOf = (kind: JobKind, all: readonly StoredJob[], now: Instant): JobCounts => {
  const open = all.filter(({ isDeadLetter }) => !isDeadLetter);
  const free = open.filter(({ leaseUntil }) => leaseUntil === null || leaseUntil <= now);
  const failed = free.filter(({ job }) => job.attempts > 0);
  return {
    kind,
    waiting: free.length - failed.length,
    running: open.length - free.length,
    retrying: failed.length,
    nextRetryAt: first(failed.map(({ job }) => job.dueAt)),
    deadLetters: all.length - open.length,
    oldestDueAt: first(open.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now)),
  };
};

const first = (instants: readonly Instant[]): Instant | null => (instants.length > 0 ? Math.min(...instants) : null);

const rest = (jobs: MemoryDatabase['jobs'], ...[{ id, task }, next]: Parameters<Outbox['rest']>): void => {
  const stored = jobs.get(id);
  if (!stored || stored.isDeadLetter || stored.job.task.kind !== 'mail.notice') return;
  const left = { ...stored.job.task, asked: stored.job.task.asked - task.asked };
  jobs.delete(id);
  const job = kept({ ...stored.job, ...next, task: left, attempts: 0 });
  jobs.set(next.id, { job, leaseUntil: null, error: null, isDeadLetter: false });
};

/** For use within the caller's synchronous stretch. */
export const deadLetter = (jobs: MemoryDatabase['jobs'], id: JobId, now: Instant, error: string): void => {
  const stored = jobs.get(id);
  if (!stored || stored.isDeadLetter) return;
  const { attempts, task } = stored.job;
  const job = kept({ ...stored.job, task: withoutSecret(task), attempts: attempts + 1, dueAt: now });
  jobs.set(id, { job, leaseUntil: null, error, isDeadLetter: true });
};

const isFree = ({ job, leaseUntil, isDeadLetter }: StoredJob, now: Instant): boolean =>
  !isDeadLetter && !isAtRest(job.task) && job.dueAt <= now && (leaseUntil === null || leaseUntil <= now);

const isAtRest = (task: JobTask): boolean => task.kind === 'mail.notice' && task.asked === 0;

const withoutSecret = (task: JobTask): JobTask => ('sealed' in task ? { ...task, sealed: '' } : task);
