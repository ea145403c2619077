export { boundedText } from './bounded-text.ts';
export { replaceFile, syncFolder, writeNewFile } from './durable-file.ts';
export { EmbeddingFollower, type EmbeddingCopy } from './embedding-follower.ts';
export { FailureWindow } from './failure-window.ts';
export type { Log } from './log.ts';
export { isLoopback } from './loopback.ts';
export { createOutage, type Outage, type OutageBegin } from './outage.ts';
export { createSemaphore, type Leave, type Semaphore } from './semaphore.ts';
export { fulfilledWithin, settlesWithin, TookTooLong, within } from './time-limit.ts';
