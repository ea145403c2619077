import { isTaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';

/** The error for a promise that exceeded its timeout. The promise's work continues in the background. */
export class TimeoutExceeded extends Error {
  override readonly name = 'TimeoutExceeded';
}

/** Settles like the promise, but throws `TimeoutExceeded` if that takes longer than the limit. */
export const within = async <T>(limitMs: number, promise: Promise<T>): Promise<T> => {
  try {
    return await timeout(Math.max(0, limitMs), TimeoutStrategy.Aggressive).execute(() => promise);
  } catch (error) {
    throw isTaskCancelledError(error) ? new TimeoutExceeded(`no response within ${limitMs} ms`) : error;
  }
};

/**
 * Whether the promise fulfills within the limit. Rejects if the promise rejects within the limit. Uses a timer instead
 * of `within`, which would make every audit entry cost a fifteenth more.
 */
export const fulfillsWithin = async (limitMs: number, promise: Promise<unknown>): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** Whether the promise settles within the limit, whether it is fulfilled or rejected. */
export const settlesWithin = (limitMs: number, promise: Promise<unknown>): Promise<boolean> =>
  fulfillsWithin(limitMs, Promise.allSettled([promise]));
