import type { Instant, JobTask, Outbox } from '@portico/domain';
import { kept } from './memory-database.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

export const createMemoryOutbox = ({ jobs }: MemoryDatabase): Outbox => ({
  async due(now, limit) {
    return [...jobs.values()]
      .filter((stored) => isFree(stored, now))
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

  async done(id) {
    jobs.delete(id);
  },

  async retry(id, dueAt, error) {
    const stored = jobs.get(id);
    if (!stored || stored.givenUp) return;
    const job = kept({ ...stored.job, dueAt, attempts: stored.job.attempts + 1 });
    jobs.set(id, { ...stored, job, leaseUntil: null, error });
  },

  async giveUp(id, error) {
    const stored = jobs.get(id);
    if (!stored) return;
    const job = kept({ ...stored.job, task: withoutSecret(stored.job.task) });
    jobs.set(id, { job, leaseUntil: null, error, givenUp: true });
  },

  async state(now) {
    const waiting = [...jobs.values()].filter(({ givenUp }) => !givenUp);
    const due = waiting.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now);
    return {
      waiting: waiting.length,
      givenUp: jobs.size - waiting.length,
      oldestDueAt: due.length > 0 ? Math.min(...due) : null,
    };
  },
});

const isFree = ({ job, leaseUntil, givenUp }: StoredJob, now: Instant): boolean =>
  !givenUp && job.dueAt <= now && (leaseUntil === null || leaseUntil <= now);

const withoutSecret = (task: JobTask): JobTask => ('sealed' in task ? { ...task, sealed: '' } : task);
