import type { JobOutcome } from '@portico/domain';
import type { Portico } from './compose.ts';

const relayIntervalMs = 1_000;
const pruneIntervalMs = 3_600_000;

/** Works the jobs of the outbox and the other doings that no request asks for, until it is stopped. */
export const startBackground = ({ config, ports, useCases, logger }: Portico): { stop(): Promise<void> } => {
  const tasks: Repeated[] = [];
  const repeat = (name: string, intervalMs: number, task: () => Promise<unknown>) => {
    tasks.push(repeated(intervalMs, task, (error) => logger.error({ err: error }, `${name} failed`)));
  };
  const logOutcome = (outcome: JobOutcome, jobId: string) => {
    if (typeof outcome === 'string') return;
    logger.warn({ jobId, ...outcome }, outcome.givenUp ? 'A job was given up' : 'A job failed and will be tried again');
  };
  let lookedForOutdated: Promise<unknown> = Promise.resolve();
  if (config.jobs === 'inline') {
    ports.queue.start(async (id) => {
      try {
        logOutcome(await useCases.workJob(id), id);
      } catch (error) {
        logger.error({ err: error, jobId: id }, 'A job could not be worked; it stays in the outbox');
      }
    });
    repeat('Offering jobs', relayIntervalMs, useCases.relayJobs);
    lookedForOutdated = useCases
      .embedOutdated()
      .catch((error: unknown) => logger.error({ err: error }, 'Looking for outdated embeddings failed'));
  }
  const { auditRetentionDays } = config;
  if (auditRetentionDays !== null)
    repeat('Pruning the audit log', pruneIntervalMs, () => useCases.pruneAudit(auditRetentionDays));
  return {
    stop: async () => {
      await Promise.all([lookedForOutdated, ...tasks.map((task) => task.stop())]);
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
