import type { AdminAuthority } from '../../access/principal.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReindexProgress, ReindexRun } from '../../search/reindex-run.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import { createCollectionJob } from './collection-jobs.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'embeddings' | 'embeddingJobs' | 'embedder'>;

/** Starts embedding every collection again in the background, unless a run is already in progress; returns the run. */
export const startReindex =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority): Promise<ReindexRun> => {
    const id = ports.random.uuid();
    const effects = createAuditEffects(ports, authority, { action: 'search.reindex', job_id: id });
    return ports.embeddingJobs.startRun((collections) => ({
      run: { id, total: collections.length, startedAt: ports.clock.now() },
      ...effects,
      jobs: collections.flatMap((collection) => [
        createCollectionJob(ports, 'embed', collection, id),
        createCollectionJob(ports, 'operations', collection),
      ]),
    }));
  };

/** Returns the progress of the last run; null if there was none. */
export const readReindex =
  ({ embeddingJobs }: Pick<Ports, 'embeddingJobs'>) =>
  async (): Promise<ReindexProgress | null> => {
    const run = await embeddingJobs.findLastRun();
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
