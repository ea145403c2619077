import type {
  DeadLetter,
  DeadLetterPlace,
  DeadLetters,
  Instant,
  JobId,
  JobTask,
  RequeueOutcome,
} from '@portico/domain';
import { byCodePoints, commit, kept, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryDeadLetters = (database: MemoryDatabase): DeadLetters => {
  const { jobs, profiles, collections } = database;
  const all = () => [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter);

  const named = (letter: Unnamed): DeadLetter => ({
    ...letter,
    profileEmail: (letter.profileId && profiles.get(letter.profileId)?.email) ?? null,
    collectionName: (letter.collectionId && collections.get(letter.collectionId)?.name) ?? null,
  });

  const requeueNow = (ids: readonly JobId[], now: Instant): void => {
    for (const id of ids) {
      const stored = jobs.get(id);
      if (stored) jobs.set(id, requeued(stored, now));
    }
  };

  return {
    async list(limit, after = null) {
      return all()
        .map((stored) => named(deadLetterOf(stored)))
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
      const found = [...ids].filter((id) => outcomes.get(id) === 'requeued');
      if (found.length > 0) commit(database, decide(found), () => requeueNow(found, now));
      return outcomes;
    },

    async requeueAll(now, decide) {
      const found = all().filter(({ job }) => !lacksSecret(job.task));
      if (found.length === 0) return 0;
      const ids = found.map(({ job }) => job.id);
      commit(database, decide(ids.length), () => requeueNow(ids, now));
      return found.length;
    },

    async discard(id, effects) {
      if (!jobs.get(id)?.isDeadLetter) return false;
      commit(database, effects, () => jobs.delete(id));
      return true;
    },
  };
};

type Unnamed = Omit<DeadLetter, 'profileEmail' | 'collectionName'>;

const newestFirst = (a: DeadLetterPlace, b: DeadLetterPlace): number => b.since - a.since || byCodePoints(b.id, a.id);

/** In a dead letter, `dueAt` is when it became one. */
const deadLetterOf = ({ job: { id, task, attempts, dueAt }, error }: StoredJob): Unnamed => ({
  id,
  kind: task.kind,
  profileId: 'profileId' in task ? task.profileId : null,
  collectionId: 'collectionId' in task ? task.collectionId : null,
  attempts,
  error: error ?? '',
  since: dueAt,
  secretRemoved: lacksSecret(task),
});

/** What becomes of a job that is requeued. */
const outcomeOf = (stored: StoredJob | undefined): RequeueOutcome => {
  if (!stored?.isDeadLetter) return 'no dead letter';
  return lacksSecret(stored.job.task) ? 'secret removed' : 'requeued';
};

const requeued = ({ job }: StoredJob, now: Instant): StoredJob => ({
  job: kept({ ...job, attempts: 0, dueAt: now }),
  leaseUntil: null,
  error: null,
  isDeadLetter: false,
});

const lacksSecret = (task: JobTask): boolean => 'sealed' in task && task.sealed === '';
