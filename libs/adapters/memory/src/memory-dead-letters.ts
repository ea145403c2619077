import type { DeadLetter, DeadLetters, Instant, JobTask } from '@portico/domain';
import { byCodePoints, commit, kept, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryDeadLetters = (database: MemoryDatabase): DeadLetters => {
  const { jobs } = database;
  const all = () => [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter);

  return {
    async list(limit) {
      return all()
        .sort((a, b) => b.job.dueAt - a.job.dueAt || byCodePoints(b.job.id, a.job.id))
        .slice(0, limit)
        .map(deadLetterOf);
    },

    async requeue(id, now, effects) {
      const stored = jobs.get(id);
      if (!stored?.isDeadLetter) return 'no dead letter';
      if (lacksSecret(stored.job.task)) return 'secret removed';
      commit(database, effects, () => jobs.set(id, requeued(stored, now)));
      return 'requeued';
    },

    async requeueAll(now, decide) {
      const found = all().filter(({ job }) => !lacksSecret(job.task));
      if (found.length === 0) return 0;
      commit(database, decide(found.length), () => {
        for (const stored of found) jobs.set(stored.job.id, requeued(stored, now));
      });
      return found.length;
    },

    async discard(id, effects) {
      if (!jobs.get(id)?.isDeadLetter) return false;
      commit(database, effects, () => jobs.delete(id));
      return true;
    },
  };
};

/** In a dead letter, `dueAt` is when it became one. */
const deadLetterOf = ({ job: { id, task, attempts, dueAt }, error }: StoredJob): DeadLetter => ({
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
  isDeadLetter: false,
});

const lacksSecret = (task: JobTask): boolean => 'sealed' in task && task.sealed === '';
