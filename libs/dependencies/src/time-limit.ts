import { isTaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';

/** Something exceeded its timeout; it continues by itself. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** Settles like the promise; throws `TookTooLong` if that takes longer than the limit. */
export const within = async <T>(limitMs: number, promise: Promise<T>): Promise<T> => {
  try {
    return await timeout(Math.max(0, limitMs), TimeoutStrategy.Aggressive).execute(() => promise);
  } catch (error) {
    throw isTaskCancelledError(error) ? new TookTooLong(`no answer within ${limitMs} ms`) : error;
  }
};

/**
 * Whether the promise fulfils within the limit; rejects if it rejects by then. Has a timer of its own, because every
 * audit entry passes here: by `within` it would cost a fifteenth more.
 */
export const fulfilledWithin = async (limitMs: number, promise: Promise<unknown>): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** Whether the promise settles within the limit, however it does. */
export const settlesWithin = (limitMs: number, promise: Promise<unknown>): Promise<boolean> =>
  fulfilledWithin(limitMs, Promise.allSettled([promise]));
