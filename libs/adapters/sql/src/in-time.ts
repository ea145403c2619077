import { PorticoError } from '@portico/domain';
import type { Deadline } from '@portico/domain';

/** What `work` comes to; throws `timed_out` where the deadline expires before. */
export const inTime = async <T>(work: Promise<T>, deadline: Deadline | null): Promise<T> => {
  if (!deadline) return work;
  const late = Promise.withResolvers<never>();
  const forget = deadline.onExpired(() => late.reject(new PorticoError('timed_out')));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    forget();
  }
};
