import { createBullmqJobQueue } from '@portico/bullmq';
import { createClosedJobQueue, createInProcessJobQueue } from '@portico/inprocess';
import { Closable, configured, type Module } from '../parts.ts';
import { embeddingsTogether, jobsAtOnce, operationsTogether } from './jobs-at-once.ts';

/**
 * Delivers jobs through BullMQ: to this process if it runs jobs, else to the workers. While Redis takes none, each process
 * that runs jobs works them as if there were no Redis.
 */
export const bullmqModule: Module = (provide) => {
  provide(
    'queue',
    ['config', 'duties', 'logger', 'installation'],
    ({ redis, ollama, operationEmbedder }, duties, logger, installation) => {
      const togetherAtOnce = {
        ...(ollama ? { embed: embeddingsTogether } : {}),
        ...(operationEmbedder === 'ollama' ? { operations: operationsTogether } : {}),
      };
      const queue = createBullmqJobQueue({
        ...configured(redis, 'REDIS_URL'),
        installation,
        work: duties.worksJobs,
        concurrency: jobsAtOnce,
        togetherAtOnce,
        fallback: duties.worksJobs
          ? createInProcessJobQueue({ concurrency: { ...jobsAtOnce, ...togetherAtOnce } })
          : createClosedJobQueue(),
        log: logger,
      });
      return new Closable(queue, () => queue.stop());
    },
  );
};
