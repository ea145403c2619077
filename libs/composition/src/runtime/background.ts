import { writeFile } from 'node:fs/promises';
import { createOutage, createYielder, within } from '@portico/dependencies';
import { isPorticoError, type JobId, type ModelCheck } from '@portico/domain';
import type { Portico } from '../wiring/compose.ts';
import { createOperationsProgressLog } from './operations-progress-log.ts';

/** Pauses between the end of one run and the start of the next. */
export interface BackgroundIntervals {
  readonly relayMs: number;
  readonly pruneMs: number;
  /**
   * The interval between checks for embeddings and operations that are missing because the model has changed or because
   * a process of an earlier version has stored a document. The interval is longer if a check takes long. The embedder
   * may cache its model's id for longer.
   */
  readonly modelMs: number;
  /** The longest such interval, regardless of how long a check takes. */
  readonly modelMaxMs: number;
  readonly heartbeatMs: number;
  /** The interval at which usage counts are written: a crash loses the counts of one interval. */
  readonly usageMs: number;
}

const defaultIntervals: BackgroundIntervals = {
  relayMs: 1_000,
  pruneMs: 3_600_000,
  modelMs: 3_000,
  modelMaxMs: 60_000,
  heartbeatMs: 10_000,
  usageMs: 10_000,
};

/** A pause is at least this many times as long as the preceding check of the models. */
const pauseFactor = 20;

/** The timeout of the last write of usage counts, so that an unavailable database does not delay the shutdown. */
const lastUsageWriteMs = 5_000;
const leaveMs = 2_000;

/**
 * Runs the background work (jobs, retention, usage counts, heartbeat) until it is stopped. A process that runs no jobs
 * does not maintain the embeddings either: a worker does.
 */
export const startBackground = (
  { config, duties, queue, useCases, logger, remoteIndex, presence, tracing }: Portico,
  intervals: BackgroundIntervals = defaultIntervals,
): { stop(): Promise<void> } => {
  const tasks: RepeatedTask[] = [];
  const shutdown = new AbortController();
  const repeat = (name: string, intervalMs: number | (() => number), task: () => Promise<unknown>) =>
    tasks.push(repeatTask(intervalMs, withOutageLog(logger, name, task)));
  const prepared = remoteIndex?.prepare(null).catch((error: unknown) => {
    logger.debug({ err: error }, 'The embedder is unavailable: the first search prepares the index');
  });
  if (duties.runsJobs) {
    const work = (id: JobId) => workJob(useCases, logger, id, () => shutdown.signal.aborted);
    queue.start(tracing ? (id) => tracing.job(id, () => work(id)) : work);
    repeat('Relaying jobs', intervals.relayMs, useCases.relayJobs);
    repeat('Sending expiry notices', intervals.pruneMs, useCases.sendExpiryNotices);
    const models = createModelUpkeep({ useCases, logger, remoteIndex });
    const pauseMs = () => Math.min(Math.max(intervals.modelMs, models.tookMs() * pauseFactor), intervals.modelMaxMs);
    repeat('Looking after the embeddings', pauseMs, () => models.check());
  }
  const { auditRetentionDays, heartbeatFile } = config;
  const prune = (name: string, pruneBatch: () => Promise<number>) =>
    repeat(name, intervals.pruneMs, async () => {
      const yieldToEventLoop = createYielder();
      while (!shutdown.signal.aborted && (await pruneBatch()) > 0) await yieldToEventLoop();
    });
  if (duties.prunesAudit) {
    if (auditRetentionDays !== null) prune('Pruning the audit log', () => useCases.pruneAudit(auditRetentionDays));
    prune('Pruning the usage counts', () => useCases.pruneUsage());
  }
  const usage = duties.servesRequests ? startUsageWriting({ useCases, logger }, intervals.usageMs) : null;
  if (duties.writesHeartbeat && heartbeatFile !== null)
    repeat('Writing the heartbeat', intervals.heartbeatMs, () =>
      writeFile(heartbeatFile, `${new Date().toISOString()}\n`),
    );
  if (duties.writesHeartbeat && presence !== null)
    repeat('Announcing this process', intervals.heartbeatMs, () => presence.announce());
  return {
    stop: async () => {
      shutdown.abort();
      await Promise.all([prepared, ...tasks.map((task) => task.stop()), usage?.stop()]);
      await queue.stop();
      await leave(presence, logger);
    },
  };
};

/**
 * Announces that this process is leaving. If the database is unavailable, the other processes consider this one gone
 * after a minute.
 */
const leave = (presence: Portico['presence'], logger: Portico['logger']): Promise<void> =>
  within(leaveMs, presence?.leave() ?? Promise.resolve()).catch((error: unknown) =>
    logger.debug({ err: error }, 'This process could not announce that it ends'),
  );

/**
 * Wraps a task so that it never rejects, and so that only its first failure and its recovery are logged, not each
 * attempt.
 */
const withOutageLog = (
  logger: Portico['logger'],
  name: string,
  task: () => Promise<unknown>,
): (() => Promise<void>) => {
  const outage = createOutage(logger, { recoveryMessage: `${name} works again` });
  return () =>
    task().then(
      () => outage.end(),
      (error: unknown) => outage.begin({ message: `${name} failed; retrying`, level: 'error', fields: { err: error } }),
    );
};

const workJob = async (
  useCases: Portico['useCases'],
  logger: Portico['logger'],
  jobId: JobId,
  isStopping: () => boolean,
): Promise<void> => {
  try {
    const outcome = await useCases.workJob(jobId, isStopping);
    if (typeof outcome === 'string') return;
    const message = outcome.givenUp ? 'A job was given up: see "portico jobs list"' : 'A job failed; retrying later';
    logger.warn({ jobId, ...outcome }, message);
  } catch (error) {
    logger.error({ err: error, jobId }, 'A job could not be run; it stays in the outbox');
  }
};

/**
 * Creates the upkeep of the models and their vectors, which logs the results of its checks, and progress at each tenth.
 */
const createModelUpkeep = ({ useCases, logger, remoteIndex }: Pick<Portico, 'useCases' | 'logger' | 'remoteIndex'>) => {
  let isChanging = false;
  let lastCheckMs = 0;
  let lastStep = '';
  const logOperations = createOperationsProgressLog(logger);
  const logCheck = ({ outdated, operationsOutdated, changed, inProgress, removed }: ModelCheck): void => {
    if (operationsOutdated !== null) logOperations(operationsOutdated);
    if (inProgress) {
      const { total, done, failed } = inProgress;
      const step = `${inProgress.to} ${Math.floor((10 * (done + failed)) / total)}`;
      if (step !== lastStep) logger.info({ ...inProgress }, changingMessage);
      lastStep = step;
    } else if (outdated > 0 && !isChanging) {
      logger.info({ collections: outdated }, 'Collections were queued to be embedded with the current model');
    }
    if (changed && changed.from !== null) logger.info(changed, 'Everything is embedded: searches use the new model');
    for (const model of removed) logger.info({ model }, 'The vectors of a model that is no longer used were removed');
  };
  return {
    tookMs: () => lastCheckMs,
    async check() {
      const startedAt = performance.now();
      try {
        const result = await useCases.checkModels();
        logCheck(result);
        // Prepares the index, so that it can serve the first search after the change.
        if (result.inProgress) await remoteIndex?.prepare(result.inProgress.to);
        isChanging = result.inProgress !== null || result.hasSeveralModels;
      } catch (error) {
        // The embedder logs its own outages, and the next run tries again.
        if (!isPorticoError(error, 'embedding_unavailable')) throw error;
        logger.debug({ err: error }, 'The embedder is unavailable: the next run maintains the embeddings');
      } finally {
        lastCheckMs = performance.now() - startedAt;
      }
    },
  };
};

/** Writes the usage counts repeatedly, and once more when stopped. */
const startUsageWriting = (
  { useCases, logger }: Pick<Portico, 'useCases' | 'logger'>,
  intervalMs: number,
): RepeatedTask => {
  const write = async () => {
    const lost = await useCases.writeUsage();
    if (lost > 0) logger.warn({ uses: lost }, 'Uses are missing from the counts: too many were waiting to be written');
  };
  const task = repeatTask(intervalMs, withOutageLog(logger, 'Writing the usage counts', write));
  const writeLast = async () => {
    await task.stop();
    await write();
  };
  return {
    stop: () =>
      within(lastUsageWriteMs, writeLast()).catch((error: unknown) =>
        logger.error({ err: error }, 'The usage counts of the last seconds could not be written: they are lost'),
      ),
  };
};

const changingMessage =
  'Collections are being embedded with another model; until that is done searches use the previous one';

interface RepeatedTask {
  stop(): Promise<void>;
}

/** Repeats a task that never rejects, with a pause between the end of one run and the start of the next. */
const repeatTask = (intervalMs: number | (() => number), task: () => Promise<void>): RepeatedTask => {
  const pauseMs = typeof intervalMs === 'number' ? () => intervalMs : intervalMs;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    running = task().then(() => {
      if (!stopped) timer = setTimeout(next, pauseMs());
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
