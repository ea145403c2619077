export { tick } from './batching.ts';
export { boundedText } from './bounded-text.ts';
export { againIfBroken } from './broken-connection.ts';
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
export { createOutage, type Outage, type OutageBegin } from './outage.ts';
export { livingMs, type LivingProcess, type Roster } from './roster.ts';
export { createSemaphore, type Leave, type Semaphore } from './semaphore.ts';
export { fulfilledWithin, settlesWithin, TookTooLong, within } from './time-limit.ts';

export { createYielder } from './yielding.ts';
