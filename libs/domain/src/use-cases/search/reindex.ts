import type { AdminAuthority } from '../../access/principal.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReindexProgress, ReindexRun } from '../../search/reindex-run.ts';
import { recorded } from '../audit/system-entry.ts';
import { embedJob } from './embed-collection.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'embeddings' | 'embeddingJobs' | 'embedder'>;

/** Starts embedding every collection again in the background, unless that is under way; returns the run. */
export const startReindex =
  (ports: Needs) =>
  async (authority: AdminAuthority): Promise<ReindexRun> => {
    const id = ports.random.uuid();
    const effects = recorded(ports, authority, { action: 'search.reindex', job_id: id });
    return ports.embeddingJobs.startRun((collections) => ({
      run: { id, total: collections.length, startedAt: ports.clock.now() },
      ...effects,
      jobs: collections.map((collection) => embedJob(ports, collection, id)),
    }));
  };

/** Returns the progress of the last run; null if there was none. */
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

/** How many jobs one transaction adds, few enough to delay other changes by less than a second. */
const portionSize = 2_000;

/**
 * Ensures that every collection whose embedding is missing, of another model or of an older text has a job; returns how
 * many such collections there are. Meant to be called repeatedly: once none are left, it only asks for the model's id
 * until that changes. One look after a change of model is not enough, because a job under way may still store what the
 * earlier model made. If it fails midway, what was added stays, and the next call continues. A collection whose job is
 * a dead letter gets one new job: at the first call, and again when the model changes.
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
