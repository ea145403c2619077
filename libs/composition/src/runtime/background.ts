import { writeFile } from 'node:fs/promises';
import { createOutage, createYielder, within } from '@portico/dependencies';
import { isPorticoError, type JobId, type ModelLook } from '@portico/domain';
import type { Portico } from '../wiring/compose.ts';
import { createOperationsTeller } from './operations-teller.ts';

/** Pauses between the end of one run and the start of the next. */
export interface BackgroundIntervals {
  readonly relayMs: number;
  readonly pruneMs: number;
  /**
   * How often to look for embeddings and operations that are missing, because the model changes or a process of the
   * version before stored a document; less often if a look takes long. The embedder may cache its model's id for longer.
   */
  readonly modelMs: number;
  /** How often at least, however long a look takes. */
  readonly modelMaxMs: number;
  readonly heartbeatMs: number;
  /** How often what was counted is written: a crash loses as much. */
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

/** A pause is at least this many times as long as the look at the models before it. */
const pauseToLook = 20;

/** The last write of what was counted, so that a database that is away does not hold up the end. */
const usageEndMs = 5_000;
const leaveMs = 2_000;

/**
 * Runs the background work (jobs, retention, usage counts, heartbeat) until it is stopped. A process that runs no jobs does not
 * look after the embeddings either: a worker does.
 */
export const startBackground = (
  { config, duties, queue, useCases, logger, remoteIndex, presence, tracing }: Portico,
  intervals: BackgroundIntervals = defaultIntervals,
): { stop(): Promise<void> } => {
  const tasks: Repeated[] = [];
  const ending = new AbortController();
  const repeat = (name: string, intervalMs: number | (() => number), task: () => Promise<unknown>) =>
    tasks.push(repeated(intervalMs, reporting(logger, name, task)));
  const prepared = remoteIndex?.prepare(null).catch((error: unknown) => {
    logger.debug({ err: error }, 'The embedder is away: the first search prepares the index');
  });
  if (duties.worksJobs) {
    const work = (id: JobId) => workJob(useCases, logger, id, () => ending.signal.aborted);
    queue.start(tracing ? (id) => tracing.job(id, () => work(id)) : work);
    repeat('Relaying jobs', intervals.relayMs, useCases.relayJobs);
    repeat('Announcing what ends soon', intervals.pruneMs, useCases.announceExpiries);
    const models = modelUpkeep({ useCases, logger, remoteIndex });
    const pauseMs = () => Math.min(Math.max(intervals.modelMs, models.tookMs() * pauseToLook), intervals.modelMaxMs);
    repeat('Looking after the embeddings', pauseMs, () => models.look());
  }
  const { auditRetentionDays, heartbeatFile } = config;
  const prune = (name: string, some: () => Promise<number>) =>
    repeat(name, intervals.pruneMs, async () => {
      const yieldToEventLoop = createYielder();
      while (!ending.signal.aborted && (await some()) > 0) await yieldToEventLoop();
    });
  if (duties.prunesAudit) {
    if (auditRetentionDays !== null) prune('Pruning the audit log', () => useCases.pruneAudit(auditRetentionDays));
    prune('Pruning the usage counts', () => useCases.pruneUsage());
  }
  const usage = duties.answersRequests ? usageUpkeep({ useCases, logger }, intervals.usageMs) : null;
  if (duties.writesHeartbeat && heartbeatFile !== null)
    repeat('Writing the heartbeat', intervals.heartbeatMs, () =>
      writeFile(heartbeatFile, `${new Date().toISOString()}\n`),
    );
  if (duties.writesHeartbeat && presence !== null)
    repeat('Announcing this process', intervals.heartbeatMs, () => presence.announce());
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([prepared, ...tasks.map((task) => task.stop()), usage?.stop()]);
      await queue.stop();
      await leave(presence, logger);
    },
  };
};

/** If the database is away, it is gone for the others in a minute. */
const leave = (presence: Portico['presence'], logger: Portico['logger']): Promise<void> =>
  within(leaveMs, presence?.leave() ?? Promise.resolve()).catch((error: unknown) =>
    logger.debug({ err: error }, 'This process could not say that it ends'),
  );

/** Wraps the task: logs its first failure and its recovery, not each attempt; never rejects. */
const reporting = (logger: Portico['logger'], name: string, task: () => Promise<unknown>): (() => Promise<void>) => {
  const outage = createOutage(logger, { back: `${name} works again` });
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
  isEnding: () => boolean,
): Promise<void> => {
  try {
    const outcome = await useCases.workJob(jobId, isEnding);
    if (typeof outcome === 'string') return;
    const message = outcome.givenUp ? 'A job was given up: see "portico jobs list"' : 'A job failed; retrying later';
    logger.warn({ jobId, ...outcome }, message);
  } catch (error) {
    logger.error({ err: error, jobId }, 'A job could not be run; it stays in the outbox');
  }
};

/** Tells an operator what a look at the models and their vectors did; progress at each tenth. */
const modelUpkeep = ({ useCases, logger, remoteIndex }: Pick<Portico, 'useCases' | 'logger' | 'remoteIndex'>) => {
  let isChanging = false;
  let tookMs = 0;
  let told = '';
  const tellOperations = createOperationsTeller(logger);
  const tell = ({ outdated, operationsOutdated, changed, underWay, forgotten }: ModelLook): void => {
    if (operationsOutdated !== null) tellOperations(operationsOutdated);
    if (underWay) {
      const { total, done, failed } = underWay;
      const step = `${underWay.to} ${Math.floor((10 * (done + failed)) / total)}`;
      if (step !== told) logger.info({ ...underWay }, changing);
      told = step;
    } else if (outdated > 0 && !isChanging) {
      logger.info({ collections: outdated }, 'Collections were queued to be embedded with the current model');
    }
    if (changed && changed.from !== null) logger.info(changed, 'Everything is embedded: searches use the new model');
    for (const model of forgotten) logger.info({ model }, 'The vectors of a model that is no longer used were removed');
  };
  return {
    tookMs: () => tookMs,
    async look() {
      const startedAt = performance.now();
      try {
        const look = await useCases.followModel();
        tell(look);
        // So that it answers the first search after the change.
        if (look.underWay) await remoteIndex?.prepare(look.underWay.to);
        isChanging = look.underWay !== null || look.isShared;
      } catch (error) {
        // The embedder logs its outages itself, and the next run asks it again.
        if (!isPorticoError(error, 'embedding_unavailable')) throw error;
        logger.debug({ err: error }, 'The embedder is away: the next run looks after the embeddings');
      } finally {
        tookMs = performance.now() - startedAt;
      }
    },
  };
};

/** Writes what was counted: again and again, and once more at the end. */
const usageUpkeep = ({ useCases, logger }: Pick<Portico, 'useCases' | 'logger'>, intervalMs: number): Repeated => {
  const write = async () => {
    const lost = await useCases.writeUsage();
    if (lost > 0) logger.warn({ uses: lost }, 'Uses are missing from the counts: too many were waiting to be written');
  };
  const writing = repeated(intervalMs, reporting(logger, 'Writing the usage counts', write));
  const end = async () => {
    await writing.stop();
    await write();
  };
  return {
    stop: () =>
      within(usageEndMs, end()).catch((error: unknown) =>
        logger.error({ err: error }, 'The usage counts of the last seconds could not be written: they are lost'),
      ),
  };
};

const changing = 'Collections are being embedded with another model; until that is done searches use the one before';

interface Repeated {
  stop(): Promise<void>;
}

/** Repeats a task that never rejects, with a pause between the end of one run and the start of the next. */
const repeated = (intervalMs: number | (() => number), task: () => Promise<void>): Repeated => {
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
