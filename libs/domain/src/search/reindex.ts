import type { Authority } from '../access/access.ts';
import { systemEntry } from '../audit/entries.ts';
import type { CollectionId, JobId } from '../ids.ts';
import type { NewJob, Ports, ReindexRun } from '../ports/index.ts';

export interface ReindexProgress {
  readonly jobId: string;
  readonly status: 'running' | 'done';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly startedAt: number;
}

type Needs = Pick<Ports, 'clock' | 'chance' | 'embeddings' | 'queue' | 'embedder'>;

/** A job that brings a collection's embedding in line with it. */
export const embedJob = (
  { clock, chance }: Pick<Ports, 'clock' | 'chance'>,
  collectionId: CollectionId,
  group: string | null = null,
): NewJob => ({
  id: chance.uuid() as JobId,
  task: { kind: 'embed', collectionId },
  group,
  dueAt: clock.now(),
});

/** Begins to embed every collection anew in the background, unless that is under way; answers the run. */
export const startReindex =
  (ports: Needs) =>
  async ({ actorId }: Authority): Promise<ReindexRun> => {
    const id = ports.chance.uuid();
    const entry = systemEntry(ports, actorId, { action: 'search.reindex', job_id: id });
    return ports.embeddings.startRun((collections) => ({
      run: { id, total: collections.length, startedAt: ports.clock.now() },
      entries: [entry],
      jobs: collections.map((collection) => embedJob(ports, collection, id)),
    }));
  };

/** How far the last run is; null where there was none. */
export const readReindex =
  ({ embeddings }: Pick<Ports, 'embeddings'>) =>
  async (): Promise<ReindexProgress | null> => {
    const run = await embeddings.lastRun();
    if (!run) return null;
    const { id, total, startedAt, waiting, failed } = run;
    return {
      jobId: id,
      status: waiting > 0 ? 'running' : 'done',
      total,
      done: total - waiting - failed,
      failed,
      startedAt,
    };
  };

/** Adds jobs for every collection whose embedding is missing, of another model or of an older text; answers how many. */
export const embedOutdated = (ports: Needs) => async (): Promise<number> => {
  const outdated = await ports.embeddings.outdated(await ports.embedder.modelId());
  const jobs = outdated.map((collection) => embedJob(ports, collection));
  if (jobs.length > 0) await ports.embeddings.enqueue({ entries: [], jobs });
  return jobs.length;
};
