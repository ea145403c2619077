import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';

/** The result of the work; throws `timed_out` once the deadline has expired, whatever the work then still does. */
export const untilExpired = <T>(deadline: Deadline | null, work: () => Promise<T>): Promise<T> => {
  if (deadline?.expired) return Promise.reject(new PorticoError('timed_out'));
  return new Promise((resolve, reject) => {
    const forget = deadline?.onExpired(() => reject(new PorticoError('timed_out')));
    work()
      .then(resolve, reject)
      .finally(() => forget?.());
  });
};
