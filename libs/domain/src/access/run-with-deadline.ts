import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';

/**
 * Returns the result of the work; throws `timed_out` once the deadline has expired, even if the work is still running.
 */
export const runWithDeadline = <T>(deadline: Deadline | null, work: () => Promise<T>): Promise<T> => {
  if (deadline?.hasExpired) return Promise.reject(new PorticoError('timed_out'));
  return new Promise((resolve, reject) => {
    const unsubscribe = deadline?.onExpired(() => reject(new PorticoError('timed_out')));
    work()
      .then(resolve, reject)
      .finally(() => unsubscribe?.());
  });
};
