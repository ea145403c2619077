import { createBullmqJobQueue } from '@portico/bullmq';
import { createClosedJobQueue, createInProcessJobQueue } from '@portico/inprocess';
import { Closable, requireSetting, type Module } from '../parts.ts';
import { sharedEmbedConcurrency, jobConcurrency, sharedOperationConcurrency } from './job-concurrency.ts';

/**
 * Delivers jobs through BullMQ: to this process if it runs jobs, otherwise to the workers. While Redis accepts no jobs,
 * each process that runs jobs runs them as if there were no Redis.
 */
export const bullmqModule: Module = (provide) => {
  provide(
    'queue',
    ['config', 'duties', 'logger', 'installation'],
    ({ redis, ollama, operationEmbedder }, duties, logger, installation) => {
      const sharedConcurrency = {
        ...(ollama ? { embed: sharedEmbedConcurrency } : {}),
        ...(operationEmbedder === 'ollama' ? { operations: sharedOperationConcurrency } : {}),
      };
      const queue = createBullmqJobQueue({
        ...requireSetting(redis, 'REDIS_URL'),
        installation,
        isWorker: duties.runsJobs,
        concurrency: jobConcurrency,
        globalConcurrency: sharedConcurrency,
        fallback: duties.runsJobs
          ? createInProcessJobQueue({ concurrency: { ...jobConcurrency, ...sharedConcurrency } })
          : createClosedJobQueue(),
        log: logger,
      });
      return new Closable(queue, () => queue.stop());
    },
  );
};
