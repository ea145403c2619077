import { createBullmqJobQueue } from '@portico/bullmq';
import { Closable, configured, type Module } from '../parts.ts';
import { embeddingsTogether, jobsAtOnce, operationsTogether } from './jobs-at-once.ts';

/** Delivers jobs through BullMQ: to this process if it runs jobs, else to the workers. */
export const bullmqModule: Module = (provide) => {
  provide(
    'queue',
    ['config', 'duties', 'logger', 'installation'],
    ({ redis, ollama, operationEmbedder }, duties, logger, installation) => {
      const queue = createBullmqJobQueue({
        ...configured(redis, 'REDIS_URL'),
        installation,
        work: duties.worksJobs,
        concurrency: jobsAtOnce,
        togetherAtOnce: {
          ...(ollama ? { embed: embeddingsTogether } : {}),
          ...(operationEmbedder === 'ollama' ? { operations: operationsTogether } : {}),
        },
        log: logger,
      });
      return new Closable(queue, () => queue.stop());
    },
  );
};
