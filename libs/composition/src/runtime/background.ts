import { writeFile } from 'node:fs/promises';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { isPorticoError, type JobOutcome } from '@portico/domain';
import type { Portico } from '../wiring/compose.ts';

/** Pauses between two runs. */
export interface BackgroundIntervals {
  readonly relayMs: number;
  readonly pruneMs: number;
  /** So long may pass until a changed model is noticed, besides what an embedder remembers of it. */
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
 * Works the jobs of the outbox and the other doings that no request asks for, until it is stopped. Where no jobs are worked
 * none are made either: a worker sees what is outdated.
 */
export const startBackground = (
  { config, ports, useCases, logger, indexUpkeep }: Portico,
  intervals: BackgroundIntervals = defaultIntervals,
): { stop(): Promise<void> } => {
  const tasks: Repeated[] = [];
  const ending = new AbortController();
  /** An outage is told when it begins and when it is over, not at each try. */
  const repeat = (name: string, intervalMs: number, task: () => Promise<unknown>) => {
    let failing = false;
    const succeeded = () => {
      if (failing) logger.info(`${name} works again`);
      failing = false;
    };
    const failed = (error: unknown) => {
      if (failing) logger.debug({ err: error }, `${name} failed again`);
      else logger.error({ err: error }, `${name} failed`);
      failing = true;
    };
    tasks.push(repeated(intervalMs, () => task().then(succeeded), failed));
  };
  const logOutcome = (outcome: JobOutcome, jobId: string) => {
    if (typeof outcome === 'string') return;
    logger.warn({ jobId, ...outcome }, outcome.givenUp ? 'A job was given up' : 'A job failed and will be tried again');
  };
  const embedOutdated = async () => {
    const collections = await useCases.embedOutdated().catch((error: unknown) => {
      // The embedder says by itself when it goes away; it is asked again in any case.
      if (!isPorticoError(error, 'embedding_unavailable')) throw error;
      logger.debug({ err: error }, 'What is outdated cannot be told while the embedder is away');
      return 0;
    });
    if (collections > 0) logger.info({ collections }, 'Collections wait to be embedded by the present model');
  };
  const prepareIndex = async () => {
    try {
      indexUpkeep?.prepare(await ports.embedder.modelId());
    } catch (error) {
      logger.debug({ err: error }, 'The index is prepared by the first search, once the embedder is here');
    }
  };
  const prepared = indexUpkeep ? prepareIndex() : Promise.resolve();
  if (config.jobs === 'inline') {
    ports.queue.start(async (id) => {
      try {
        logOutcome(await useCases.workJob(id), id);
      } catch (error) {
        logger.error({ err: error, jobId: id }, 'A job could not be worked; it stays in the outbox');
      }
    });
    repeat('Offering jobs', intervals.relayMs, useCases.relayJobs);
    repeat('Looking for outdated embeddings', intervals.outdatedMs, embedOutdated);
  }
  const { auditRetentionDays, heartbeatFile } = config;
  if (auditRetentionDays !== null)
    repeat('Pruning the audit log', intervals.pruneMs, async () => {
      while (!ending.signal.aborted && (await useCases.pruneAudit(auditRetentionDays)) > 0) await othersTurn();
    });
  if (heartbeatFile !== null)
    repeat('Writing the heartbeat', intervals.heartbeatMs, () =>
      writeFile(heartbeatFile, `${new Date().toISOString()}\n`),
    );
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([prepared, ...tasks.map((task) => task.stop())]);
      await ports.queue.stop();
    },
  };
};

interface Repeated {
  stop(): Promise<void>;
}

/** Runs a task again and again with a pause between the end of one run and the start of the next. */
const repeated = (intervalMs: number, task: () => Promise<unknown>, onError: (error: unknown) => void): Repeated => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    try {
      await task();
    } catch (error) {
      onError(error);
    }
    if (!stopped) timer = setTimeout(next, intervalMs);
  };
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    running = run();
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
