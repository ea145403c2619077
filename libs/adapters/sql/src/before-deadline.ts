import { type Deadline, PorticoError } from '@portico/domain';

/** Waits for the work; throws `timed_out` where the deadline expires first. */
export const beforeDeadline = async <T>(work: Promise<T>, deadline: Deadline | null): Promise<T> => {
  if (!deadline) return work;
  const late = Promise.withResolvers<never>();
  const forget = deadline.onExpired(() => late.reject(new PorticoError('timed_out')));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    forget();
  }
};
