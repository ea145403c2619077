import { isTaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel';

/** Something took longer than it may; it goes on by itself. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** The promise's outcome; throws `TookTooLong` where there is none within the limit. */
export const within = async <T>(limitMs: number, promise: Promise<T>): Promise<T> => {
  try {
    return await timeout(Math.max(0, limitMs), TimeoutStrategy.Aggressive).execute(() => promise);
  } catch (error) {
    throw isTaskCancelledError(error) ? new TookTooLong(`no answer within ${limitMs} ms`) : error;
  }
};

/** Whether the promise settles within the limit, whatever comes of it. */
export const settlesWithin = (limitMs: number, promise: Promise<unknown>): Promise<boolean> =>
  within(limitMs, Promise.allSettled([promise])).then(
    () => true,
    () => false,
  );
