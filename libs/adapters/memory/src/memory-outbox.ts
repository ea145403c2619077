import type { GivenUpJob, Instant, JobId, JobTask, Outbox } from '@portico/domain';
import { byCodePoints, commit, kept } from './memory-database.ts';
import type { MemoryDatabase, StoredJob } from './memory-database.ts';

export const createMemoryOutbox = (database: MemoryDatabase): Outbox => {
  const { jobs } = database;
  return {
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

    async done(id) {
      jobs.delete(id);
    },

    async retry(id, dueAt, error) {
      const stored = jobs.get(id);
      if (!stored || stored.givenUp) return;
      const job = kept({ ...stored.job, dueAt, attempts: stored.job.attempts + 1 });
      jobs.set(id, { ...stored, job, leaseUntil: null, error });
    },

    async rest({ id, task }, next) {
      const stored = jobs.get(id);
      if (!stored || stored.givenUp || stored.job.task.kind !== 'mail.notice') return;
      const left = { ...stored.job.task, asked: stored.job.task.asked - task.asked };
      jobs.delete(id);
      const job = kept({ ...stored.job, ...next, task: left, attempts: 0 });
      jobs.set(next.id, { job, leaseUntil: null, error: null, givenUp: false });
    },

    async giveUp(id, now, error) {
      giveUp(jobs, id, now, error);
    },

    async givenUp(limit) {
      return [...jobs.values()]
        .filter(({ givenUp }) => givenUp)
        .sort((a, b) => b.job.dueAt - a.job.dueAt || byCodePoints(b.job.id, a.job.id))
        .slice(0, limit)
        .map(givenUpJobOf);
    },

    async requeue(id, now) {
      const stored = jobs.get(id);
      if (!stored?.givenUp) return 'not given up';
      if (lacksSecret(stored.job.task)) return 'secret removed';
      jobs.set(id, requeued(stored, now));
      return 'requeued';
    },

    async requeueAll(now) {
      const all = [...jobs.values()].filter(({ job, givenUp }) => givenUp && !lacksSecret(job.task));
      for (const stored of all) jobs.set(stored.job.id, requeued(stored, now));
      return all.length;
    },

    async discard(id) {
      return jobs.get(id)?.givenUp === true && jobs.delete(id);
    },

    async sealed() {
      return [...jobs.values()].flatMap(({ job: { id, task }, givenUp }) =>
        'sealed' in task && !givenUp ? [{ id, sealed: task.sealed }] : [],
      );
    },

    async reseal(id, before, after, effects) {
      const stored = jobs.get(id);
      if (!stored || stored.givenUp || !('sealed' in stored.job.task) || stored.job.task.sealed !== before)
        return false;
      const job = kept({ ...stored.job, task: { ...stored.job.task, sealed: after } });
      commit(database, effects, () => jobs.set(id, { ...stored, job }));
      return true;
    },

    async state(now) {
      const waiting = [...jobs.values()].filter(({ job, givenUp }) => !givenUp && !isAtRest(job.task));
      const due = waiting.map(({ job }) => job.dueAt).filter((dueAt) => dueAt <= now);
      return {
        waiting: waiting.length,
        givenUp: [...jobs.values()].filter(({ givenUp }) => givenUp).length,
        oldestDueAt: due.length > 0 ? Math.min(...due) : null,
      };
    },
  };
};

/** Within the synchronous stretch of whoever calls. */
export const giveUp = (jobs: MemoryDatabase['jobs'], id: JobId, now: Instant, error: string): void => {
  const stored = jobs.get(id);
  if (!stored || stored.givenUp) return;
  const { attempts, task } = stored.job;
  const job = kept({ ...stored.job, task: withoutSecret(task), attempts: attempts + 1, dueAt: now });
  jobs.set(id, { job, leaseUntil: null, error, givenUp: true });
};

const isFree = ({ job, leaseUntil, givenUp }: StoredJob, now: Instant): boolean =>
  !givenUp && !isAtRest(job.task) && job.dueAt <= now && (leaseUntil === null || leaseUntil <= now);

const isAtRest = (task: JobTask): boolean => task.kind === 'mail.notice' && task.asked === 0;

/** A job that was given up keeps since when in the place of when it is due. */
const givenUpJobOf = ({ job: { id, task, attempts, dueAt }, error }: StoredJob): GivenUpJob => ({
  id,
  kind: task.kind,
  profileId: 'profileId' in task ? task.profileId : null,
  collectionId: 'collectionId' in task ? task.collectionId : null,
  attempts,
  error: error ?? '',
  since: dueAt,
  secretRemoved: lacksSecret(task),
});

const requeued = ({ job }: StoredJob, now: Instant): StoredJob => ({
  job: kept({ ...job, attempts: 0, dueAt: now }),
  leaseUntil: null,
  error: null,
  givenUp: false,
});

const lacksSecret = (task: JobTask): boolean => 'sealed' in task && task.sealed === '';

const withoutSecret = (task: JobTask): JobTask => ('sealed' in task ? { ...task, sealed: '' } : task);
