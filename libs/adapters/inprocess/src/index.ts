export * from './in-process-cache.ts';
export * from './in-process-job-queue.ts';
export * from './in-process-rate-limiter.ts';
