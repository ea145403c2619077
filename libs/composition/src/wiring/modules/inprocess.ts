import { join } from 'node:path';
import {
  createClosedJobQueue,
  createInProcessCache,
  createInProcessJobQueue,
  createInProcessRateLimiter,
} from '@portico/inprocess';
import { Closable, type Module } from '../parts.ts';
import { sharedEmbedConcurrency, jobConcurrency } from './job-concurrency.ts';

/** The limiter, cache and job queue in this process. */
export const inProcessModule: Module = (provide) => {
  provide(
    'limiter',
    ['clock', 'config', 'duties', 'logger'],
    async (clock, { dataDir }, { servesRequests }, logger) => {
      const limiter = await createInProcessRateLimiter({
        clock,
        ...(servesRequests ? { stateFile: join(dataDir, 'rate-limits') } : {}),
        log: logger,
      });
      return new Closable(limiter, () => limiter.close());
    },
  );
  provide('cache', ['clock'], (clock) => createInProcessCache({ clock }));
  provide('queue', ['config', 'duties'], ({ ollama }, { runsJobs }) => {
    const concurrency = ollama ? { ...jobConcurrency, embed: sharedEmbedConcurrency } : jobConcurrency;
    const queue = runsJobs ? createInProcessJobQueue({ concurrency }) : createClosedJobQueue();
    return new Closable(queue, () => queue.stop());
  });
};
