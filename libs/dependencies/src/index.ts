export { tick } from './batching.ts';
export { readBoundedText } from './bounded-text.ts';
export { retryIfBroken } from './broken-connection.ts';
export { replaceFile, syncFolder, writeNewFile } from './durable-file.ts';
export { FailureWindow } from './failure-window.ts';
export {
  blockBatchSize,
  type Change,
  type Changes,
  embeddingBatchSize,
  Follower,
  type FollowerCopy,
} from './follower.ts';
export type { Log } from './log.ts';
export { isLoopback } from './loopback.ts';
export { createOutage, type Outage, type OutageStart } from './outage.ts';
export { livenessMs, type LiveProcess, type Roster } from './roster.ts';
export { createSemaphore, type RegisterCancel, type Semaphore } from './semaphore.ts';
export { fulfillsWithin, settlesWithin, TimeoutExceeded, rejectOnTimeout } from './time-limit.ts';

export { createYielder } from './yielding.ts';
