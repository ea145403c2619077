import type {
  DeadLetter,
  DeadLetterCursor,
  DeadLetters,
  Instant,
  JobId,
  JobTask,
  RequeueOutcome,
} from '@portico/domain';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase, type StoredJob } from './memory-database.ts';

export const createMemoryDeadLetters = (database: MemoryDatabase): DeadLetters => {
  const { jobs, profiles, collections } = database;
  const listDeadLetters = () => [...jobs.values()].filter(({ isDeadLetter }) => isDeadLetter);

  const addNames = (letter: DeadLetterWithoutNames): DeadLetter => ({
    ...letter,
    profileEmail: (letter.profileId && profiles.get(letter.profileId)?.email) ?? null,
    collectionName: (letter.collectionId && collections.get(letter.collectionId)?.name) ?? null,
  });

  const requeueJobs = (ids: readonly JobId[], now: Instant): void => {
    for (const id of ids) {
      const storedJob = jobs.get(id);
      if (storedJob) jobs.set(id, resetJob(storedJob, now));
    }
  };

  return {
    async list(limit, after = null) {
      return listDeadLetters()
        .map((storedJob) => addNames(deadLetterOf(storedJob)))
        .sort(compareNewestFirst)
        .filter((letter) => after === null || compareNewestFirst(letter, after) > 0)
        .slice(0, limit);
    },

    async requeue(id, now, effects) {
      const outcome = outcomeOf(jobs.get(id));
      if (outcome === 'requeued') commit(database, effects, () => requeueJobs([id], now));
      return outcome;
    },

    async requeueEach(ids, now, decide) {
      const outcomes = new Map([...ids].map((id) => [id, outcomeOf(jobs.get(id))]));
      const requeueableIds = [...ids].filter((id) => outcomes.get(id) === 'requeued');
      if (requeueableIds.length > 0) commit(database, decide(requeueableIds), () => requeueJobs(requeueableIds, now));
      return outcomes;
    },

    async requeueAll(now, decide) {
      const requeueableJobs = listDeadLetters().filter(({ job }) => !lacksSecret(job.task));
      if (requeueableJobs.length === 0) return 0;
      const ids = requeueableJobs.map(({ job }) => job.id);
      commit(database, decide(ids.length), () => requeueJobs(ids, now));
      return requeueableJobs.length;
    },

    async discard(id, effects) {
      if (!jobs.get(id)?.isDeadLetter) return false;
      commit(database, effects, () => jobs.delete(id));
      return true;
    },
  };
};

type DeadLetterWithoutNames = Omit<DeadLetter, 'profileEmail' | 'collectionName'>;

const compareNewestFirst = (a: DeadLetterCursor, b: DeadLetterCursor): number =>
  b.since - a.since || compareCodePoints(b.id, a.id);

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
const outcomeOf = (storedJob: StoredJob | undefined): RequeueOutcome => {
  if (!storedJob?.isDeadLetter) return 'no dead letter';
  return lacksSecret(storedJob.job.task) ? 'secret removed' : 'requeued';
};

const resetJob = ({ job }: StoredJob, now: Instant): StoredJob => ({
  job: copyFrozen({ ...job, attempts: 0, dueAt: now }),
  leaseUntil: null,
  error: null,
  isDeadLetter: false,
});

const lacksSecret = (task: JobTask): boolean => 'sealed' in task && task.sealed === '';
