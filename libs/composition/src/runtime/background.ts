import { writeFile } from 'node:fs/promises';
import { createOutage, createYielder, rejectOnTimeout } from '@portico/dependencies';
import { isPorticoError, type JobId, type ModelCheck } from '@portico/domain';
import type { Portico } from '../wiring/compose.ts';
import { createOperationsProgressLog } from './operations-progress-log.ts';

/** Pauses between the end of one run and the start of the next. */
export interface BackgroundIntervals {
  readonly relayMs: number;
  readonly pruneMs: number;
  /** The interval at which the arguments of expired calls are deleted. */
  readonly callsMs: number;
  /**
   * The interval between checks for embeddings and operations that are missing because the model has changed or because
   * a process of an earlier version has stored a document. The interval is longer if a check takes long. The embedder
   * may cache its model's id even longer.
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
  callsMs: 60_000,
  modelMs: 3_000,
  modelMaxMs: 60_000,
  heartbeatMs: 10_000,
  usageMs: 10_000,
};

/** A pause is at least this many times as long as the preceding check of the models. */
const pauseFactor = 20;

/** The timeout of the last write of usage counts, so that an unavailable database does not delay the shutdown. */
const lastUsageWriteTimeoutMs = 5_000;
const leaveTimeoutMs = 2_000;

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
  const preparation = remoteIndex?.prepare(null).catch((error: unknown) => {
    logger.debug({ err: error }, 'The embedder is unavailable: the first search prepares the index');
  });
  if (duties.runsJobs) {
    const work = (id: JobId) => runJob(useCases, logger, id, () => shutdown.signal.aborted);
    queue.start(tracing ? (id) => tracing.runJob(id, () => work(id)) : work);
    repeat('Relaying jobs', intervals.relayMs, useCases.relayJobs);
    repeat('Sending expiry notices', intervals.pruneMs, useCases.sendExpiryNotices);
    const modelUpkeep = createModelUpkeep({ useCases, logger, remoteIndex });
    const pauseMs = () =>
      Math.min(Math.max(intervals.modelMs, modelUpkeep.getLastDurationMs() * pauseFactor), intervals.modelMaxMs);
    repeat('Maintaining the embeddings', pauseMs, () => modelUpkeep.check());
  }
  const { auditRetentionDays, revisionRetention, heartbeatFile } = config;
  const prune = (name: string, intervalMs: number, pruneBatch: () => Promise<number>) =>
    repeat(name, intervalMs, async () => {
      const yieldToEventLoop = createYielder();
      while (!shutdown.signal.aborted && (await pruneBatch()) > 0) await yieldToEventLoop();
    });
  if (duties.prunesAudit) {
    if (auditRetentionDays !== null)
      prune('Pruning the audit log', intervals.pruneMs, () => useCases.pruneAudit(auditRetentionDays));
    prune('Pruning the usage counts', intervals.pruneMs, () => useCases.pruneUsage());
    prune('Pruning the revisions', intervals.pruneMs, () => useCases.pruneRevisions(revisionRetention));
    prune('Expiring calls', intervals.callsMs, () => useCases.expireCalls());
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
      await Promise.all([preparation, ...tasks.map((task) => task.stop()), usage?.stop()]);
      await queue.stop();
      await leave(presence, logger);
    },
  };
};

/**
 * Announces that this process is shutting down. If the database is unavailable, the other processes consider this one
 * gone after a minute.
 */
const leave = (presence: Portico['presence'], logger: Portico['logger']): Promise<void> =>
  rejectOnTimeout(leaveTimeoutMs, presence?.leave() ?? Promise.resolve()).catch((error: unknown) =>
    logger.debug({ err: error }, 'This process could not announce its shutdown'),
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
      (error: unknown) => outage.start({ message: `${name} failed; retrying`, level: 'error', fields: { err: error } }),
    );
};

const runJob = async (
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
    logger.error({ err: error, jobId }, 'A job could not be run; it remains in the outbox');
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
  const logCheck = ({
    outdatedCount,
    outdatedOperationsCount,
    completedChange,
    ongoingChange,
    removedModels,
  }: ModelCheck): void => {
    if (outdatedOperationsCount !== null) logOperations(outdatedOperationsCount);
    if (ongoingChange) {
      const { total, done, failed } = ongoingChange;
      const step = `${ongoingChange.to} ${Math.floor((10 * (done + failed)) / total)}`;
      if (step !== lastStep) logger.info({ ...ongoingChange }, changingMessage);
      lastStep = step;
    } else if (outdatedCount > 0 && !isChanging) {
      logger.info({ collections: outdatedCount }, 'Collections were queued to be embedded with the current model');
    }
    if (completedChange && completedChange.from !== null)
      logger.info(completedChange, 'Everything is embedded: searches use the new model');
    for (const model of removedModels)
      logger.info({ model }, 'The vectors of a model that is no longer used were removed');
  };
  return {
    getLastDurationMs: () => lastCheckMs,
    async check() {
      const startedAt = performance.now();
      try {
        const result = await useCases.checkModels();
        logCheck(result);
        // Prepares the index, so that it can serve the first search after the change.
        if (result.ongoingChange) await remoteIndex?.prepare(result.ongoingChange.to);
        isChanging = result.ongoingChange !== null || result.hasSeveralModels;
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
    const lostUses = await useCases.writeUsage();
    if (lostUses > 0)
      logger.warn({ uses: lostUses }, 'Some uses were not counted: too many were waiting to be written');
  };
  const task = repeatTask(intervalMs, withOutageLog(logger, 'Writing the usage counts', write));
  const writeFinally = async () => {
    await task.stop();
    await write();
  };
  return {
    stop: () =>
      rejectOnTimeout(lastUsageWriteTimeoutMs, writeFinally()).catch((error: unknown) =>
        logger.error({ err: error }, 'The usage counts of the last seconds could not be written: they are lost'),
      ),
  };
};

const changingMessage =
  'Collections are being embedded with a new model; until this is done, searches use the previous one';

interface RepeatedTask {
  stop(): Promise<void>;
}

/** Repeats a task that never rejects, with a pause between the end of one run and the start of the next. */
const repeatTask = (intervalMs: number | (() => number), task: () => Promise<void>): RepeatedTask => {
  const pauseMs = typeof intervalMs === 'number' ? () => intervalMs : intervalMs;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const runNext = () => {
    running = task().then(() => {
      if (!isStopped) timer = setTimeout(runNext, pauseMs());
    });
  };
  runNext();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
