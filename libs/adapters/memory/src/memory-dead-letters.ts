import type {
  DeadLetter,
  DeadLetterCursor,
  DeadLetters,
  Instant,
  JobId,
  JobTask,
  RequeueOutcome,
} from '@portico/domain';
import { byCodePoints, commit, frozenCopy, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryDeadLetters = (database: MemoryDatabase): DeadLetters => {
  const { jobs, profiles, collections } = database;
  const deadLetters = () => [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter);

  const withNames = (letter: DeadLetterWithoutNames): DeadLetter => ({
    ...letter,
    profileEmail: (letter.profileId && profiles.get(letter.profileId)?.email) ?? null,
    collectionName: (letter.collectionId && collections.get(letter.collectionId)?.name) ?? null,
  });

  const requeueNow = (ids: readonly JobId[], now: Instant): void => {
    for (const id of ids) {
      const stored = jobs.get(id);
      if (stored) jobs.set(id, resetJob(stored, now));
    }
  };

  return {
    async list(limit, after = null) {
      return deadLetters()
        .map((stored) => withNames(deadLetterOf(stored)))
        .sort(newestFirst)
        .filter((letter) => after === null || newestFirst(letter, after) > 0)
        .slice(0, limit);
    },

    async requeue(id, now, effects) {
      const outcome = outcomeOf(jobs.get(id));
      if (outcome === 'requeued') commit(database, effects, () => requeueNow([id], now));
      return outcome;
    },

    async requeueEach(ids, now, decide) {
      const outcomes = new Map([...ids].map((id) => [id, outcomeOf(jobs.get(id))]));
      const requeueable = [...ids].filter((id) => outcomes.get(id) === 'requeued');
      if (requeueable.length > 0) commit(database, decide(requeueable), () => requeueNow(requeueable, now));
      return outcomes;
    },

    async requeueAll(now, decide) {
      const requeueable = deadLetters().filter(({ job }) => !lacksSecret(job.task));
      if (requeueable.length === 0) return 0;
      const ids = requeueable.map(({ job }) => job.id);
      commit(database, decide(ids.length), () => requeueNow(ids, now));
      return requeueable.length;
    },

    async discard(id, effects) {
      if (!jobs.get(id)?.isDeadLetter) return false;
      commit(database, effects, () => jobs.delete(id));
      return true;
    },
  };
};

type DeadLetterWithoutNames = Omit<DeadLetter, 'profileEmail' | 'collectionName'>;

const newestFirst = (a: DeadLetterCursor, b: DeadLetterCursor): number => b.since - a.since || byCodePoints(b.id, a.id);

/** The `dueAt` of a dead letter is the time at which the job became one. */
const deadLetterOf = ({ job: { id, task, attempts, dueAt }, error }: StoredJob): DeadLetterWithoutNames => ({
  id,
  kind: task.kind,
  profileId: 'profileId' in task ? task.profileId : null,
  collectionId: 'collectionId' in task ? task.collectionId : null,
  attempts,
  error: error ?? '',
  since: dueAt,
  secretRemoved: lacksSecret(task),
});

/** Returns the outcome of requeuing the job. */
const outcomeOf = (stored: StoredJob | undefined): RequeueOutcome => {
  if (!stored?.isDeadLetter) return 'no dead letter';
  return lacksSecret(stored.job.task) ? 'secret removed' : 'requeued';
};

const resetJob = ({ job }: StoredJob, now: Instant): StoredJob => ({
  job: frozenCopy({ ...job, attempts: 0, dueAt: now }),
  leaseUntil: null,
  error: null,
  isDeadLetter: false,
});

const lacksSecret = (task: JobTask): boolean => 'sealed' in task && task.sealed === '';
