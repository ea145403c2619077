import type { AdminAuthority } from '../../access/principal.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReindexProgress, ReindexRun } from '../../search/reindex-run.ts';
import { systemEntry } from '../audit/system-entry.ts';
import { embedJob } from './embed-collection.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'embeddings' | 'embeddingJobs' | 'embedder'>;

/** Begins to embed every collection anew in the background, unless that is under way; returns the run. */
export const startReindex =
  (ports: Needs) =>
  async ({ actor, deadline }: AdminAuthority): Promise<ReindexRun> => {
    const id = ports.random.uuid();
    const entry = systemEntry(ports, actor, { action: 'search.reindex', job_id: id });
    return ports.embeddingJobs.startRun((collections) => ({
      run: { id, total: collections.length, startedAt: ports.clock.now() },
      entries: [entry],
      jobs: collections.map((collection) => embedJob(ports, collection, id)),
      deadline,
    }));
  };

/** How far the last run is; null where there was none. */
export const readReindex =
  ({ embeddingJobs }: Pick<Ports, 'embeddingJobs'>) =>
  async (): Promise<ReindexProgress | null> => {
    const run = await embeddingJobs.lastRun();
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
 * Sees to it that every collection whose embedding is missing, of another model or of an older text has a job; returns how
 * many collections there are of that kind. To be asked again and again: as long as the model is the one for which there
 * were none the last time, only its id is asked for. It is not enough to look once after a change, for a job that is under way
 * then may still store what the earlier model made. Where it fails in the midst, what was added stays, and the next time goes on.
 * A collection whose job is a dead letter gets another one once: when this begins, or the model changes.
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
    const awaited = await ports.embeddingJobs.awaited();
    const deadLettered = modelId === triedAgainFor ? await ports.embeddingJobs.deadLettered() : new Set();
    const missing = outdated.filter((collection) => !awaited.has(collection) && !deadLettered.has(collection));
    for (let start = 0; start < missing.length; start += portionSize) {
      const portion = missing.slice(start, start + portionSize);
      const jobs = portion.map((collection) => embedJob(ports, collection));
      await ports.embeddingJobs.enqueue({ jobs, deadline: null });
    }
    triedAgainFor = modelId;
    return outdated.length;
  };
};
