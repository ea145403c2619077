export { createBullmqJobQueue, type BullmqJobQueue, type BullmqJobQueueOptions } from './bullmq-job-queue.ts';
