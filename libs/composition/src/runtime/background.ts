import { writeFile } from 'node:fs/promises';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { createOutage } from '@portico/dependencies';
import { isPorticoError, type JobId } from '@portico/domain';
import type { Portico } from '../wiring/compose.ts';

/** Pauses between the end of one run and the start of the next. */
export interface BackgroundIntervals {
  readonly relayMs: number;
  readonly pruneMs: number;
  /** How often to check for embeddings made by an older model; the embedder may cache its model's id for longer. */
  readonly outdatedMs: number;
  readonly heartbeatMs: number;
}

const defaultIntervals: BackgroundIntervals = {
  relayMs: 1_000,
  pruneMs: 3_600_000,
  outdatedMs: 60_000,
  heartbeatMs: 10_000,
};

/**
 * Runs the background work (jobs, audit retention, heartbeat) until it is stopped. A process that runs no jobs does not
 * look for outdated embeddings either: a worker does.
 */
export const startBackground = (
  { config, duties, queue, useCases, logger, remoteIndex }: Portico,
  intervals: BackgroundIntervals = defaultIntervals,
): { stop(): Promise<void> } => {
  const tasks: Repeated[] = [];
  const ending = new AbortController();
  const repeat = (name: string, intervalMs: number, task: () => Promise<unknown>) =>
    tasks.push(repeated(intervalMs, reporting(logger, name, task)));
  const prepared = remoteIndex?.prepare().catch((error: unknown) => {
    logger.debug({ err: error }, 'The embedder is away: the first search prepares the index');
  });
  if (duties.worksJobs) {
    queue.start((id) => workJob(useCases, logger, id));
    repeat('Relaying jobs', intervals.relayMs, useCases.relayJobs);
    repeat('Looking for outdated embeddings', intervals.outdatedMs, () => embedOutdated(useCases, logger));
  }
  const { auditRetentionDays, heartbeatFile } = config;
  if (duties.prunesAudit && auditRetentionDays !== null)
    repeat('Pruning the audit log', intervals.pruneMs, async () => {
      while (!ending.signal.aborted && (await useCases.pruneAudit(auditRetentionDays)) > 0) await othersTurn();
    });
  if (duties.writesHeartbeat && heartbeatFile !== null)
    repeat('Writing the heartbeat', intervals.heartbeatMs, () =>
      writeFile(heartbeatFile, `${new Date().toISOString()}\n`),
    );
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([prepared, ...tasks.map((task) => task.stop())]);
      await queue.stop();
    },
  };
};

/** Wraps the task: logs its first failure and its recovery, not each attempt; never rejects. */
const reporting = (logger: Portico['logger'], name: string, task: () => Promise<unknown>): (() => Promise<void>) => {
  const outage = createOutage(logger, { back: `${name} works again` });
  return () =>
    task().then(
      () => outage.end(),
      (error: unknown) => outage.begin({ message: `${name} failed; retrying`, level: 'error', fields: { err: error } }),
    );
};

const workJob = async (useCases: Portico['useCases'], logger: Portico['logger'], jobId: JobId): Promise<void> => {
  try {
    const outcome = await useCases.workJob(jobId);
    if (typeof outcome === 'string') return;
    const message = outcome.givenUp ? 'A job was given up: see "portico jobs list"' : 'A job failed; retrying later';
    logger.warn({ jobId, ...outcome }, message);
  } catch (error) {
    logger.error({ err: error, jobId }, 'A job could not be run; it stays in the outbox');
  }
};

const embedOutdated = async (useCases: Portico['useCases'], logger: Portico['logger']): Promise<void> => {
  try {
    const collections = await useCases.embedOutdated();
    if (collections > 0) logger.info({ collections }, 'Collections were queued to be embedded with the current model');
  } catch (error) {
    // The embedder logs its outages itself, and the next run asks it again.
    if (!isPorticoError(error, 'embedding_unavailable')) throw error;
    logger.debug({ err: error }, 'The embedder is away: the next run looks for outdated embeddings');
  }
};

interface Repeated {
  stop(): Promise<void>;
}

/** Repeats a task that never rejects, with a pause between the end of one run and the start of the next. */
const repeated = (intervalMs: number, task: () => Promise<void>): Repeated => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    running = task().then(() => {
      if (!stopped) timer = setTimeout(next, intervalMs);
    });
  };
  next();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
