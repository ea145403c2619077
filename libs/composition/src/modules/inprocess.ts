import { join } from 'node:path';
import {
  createClosedJobQueue,
  createInProcessCache,
  createInProcessJobQueue,
  createInProcessRateLimiter,
} from '@portico/inprocess';
import { Closable, type Module } from '../registry.ts';

const cacheBytesMax = 64 * 1_048_576;
const jobsAtOnce = 4;

/** Limiter, cache and job queue within this process. */
export const inProcessModule: Module = (provide) => {
  provide('limiter', ['clock', 'config', 'logger'], async (clock, { dataDir }, logger) => {
    const limiter = await createInProcessRateLimiter({
      clock,
      stateFile: join(dataDir, 'rate-limits'),
      warn: (message) => logger.warn(message),
    });
    return new Closable(limiter, () => limiter.close());
  });
  provide('cache', [], () => createInProcessCache({ maxBytes: cacheBytesMax }));
  provide('queue', ['config'], ({ jobs }) => {
    const queue = jobs === 'inline' ? createInProcessJobQueue({ concurrency: jobsAtOnce }) : createClosedJobQueue();
    return new Closable(queue, () => queue.stop());
  });
};
