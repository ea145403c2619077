import type { Authority } from '../access/access.ts';
import { systemEntry } from '../audit/entries.ts';
import type { CollectionId, JobId } from '../ids.ts';
import type { NewJob, Ports, ReindexRun } from '../ports/index.ts';

export interface ReindexProgress {
  /** The id of the run, which is the group of its jobs. */
  readonly jobId: string;
  /** `done` once no job waits, also where some were given up. */
  readonly status: 'running' | 'done';
  readonly total: number;
  readonly done: number;
  /** Jobs that were given up. */
  readonly failed: number;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
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
  async ({ actor, deadline }: Authority): Promise<ReindexRun> => {
    const id = ports.chance.uuid();
    const entry = systemEntry(ports, actor, { action: 'search.reindex', job_id: id });
    return ports.embeddings.startRun((collections) => ({
      run: { id, total: collections.length, startedAt: ports.clock.now() },
      entries: [entry],
      jobs: collections.map((collection) => embedJob(ports, collection, id)),
      deadline,
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

/** So many jobs are added by one change: others that wait for their turn meanwhile do so for less than a second. */
const portionSize = 2_000;

/**
 * Sees to it that every collection whose embedding is missing, of another model or of an older text has a job; answers how
 * many collections there are of that kind. To be asked again and again: as long as the model is the one for which there
 * were none the last time, only its id is asked for. It is not enough to look once after a change, for a job that is under way
 * then may still store what the earlier model made. Where it fails in the midst, what was added stays, and the next time goes on.
 * A collection whose job was given up gets another one once: when this begins, or the model changes.
 */
export const embedOutdated = (ports: Needs) => {
  let settledFor: string | null = null;
  let triedAgainFor: string | null = null;
  return async (): Promise<number> => {
    const modelId = await ports.embedder.modelId();
    if (modelId === settledFor) return 0;
    const outdated = await ports.embeddings.outdated(modelId);
    settledFor = outdated.length === 0 ? modelId : null;
    if (outdated.length === 0) return 0;
    const awaited = await ports.embeddings.awaited();
    const givenUp = modelId === triedAgainFor ? await ports.embeddings.givenUp() : new Set();
    const missing = outdated.filter((collection) => !awaited.has(collection) && !givenUp.has(collection));
    for (let start = 0; start < missing.length; start += portionSize) {
      const portion = missing.slice(start, start + portionSize);
      const jobs = portion.map((collection) => embedJob(ports, collection));
      await ports.embeddings.enqueue({ entries: [], jobs, deadline: null });
    }
    triedAgainFor = modelId;
    return outdated.length;
  };
};
