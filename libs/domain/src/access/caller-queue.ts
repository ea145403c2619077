import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { Principal } from './principal.ts';
import { withDeadline } from './with-deadline.ts';

/** The maximum number of waiting tasks of one caller. */
const waitingMax = 2;

/** A task is usually done much sooner. */
const retryAfterSeconds = 1;

/** Runs a task when it is its caller's turn. */
export type CallerQueue = <Result>(
  caller: Pick<Principal, 'profile' | 'deadline'>,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * For work for which all callers share one thread. Runs one task of each caller at a time, in order of arrival: a
 * caller with many requests waits for its own tasks, and all others wait for at most one task of each other caller. Up
 * to two more tasks of a caller may wait. Throws `rate_limited` immediately for a further one, and `timed_out` for one
 * whose deadline expires. A running task blocks its caller's next one until it is done, even after its deadline: the
 * thread is still busy with it.
 */
export const createCallerQueue = (): CallerQueue => {
  /** Waiting tasks, by callers with a running task. */
  const queues = new Map<string, (() => void)[]>();
  return async ({ profile: { id }, deadline }, work) => {
    const queue = queues.get(id);
    if (!queue) queues.set(id, []);
    else if (queue.length < waitingMax) await waitInQueue(queue, deadline);
    else throw new PorticoError('rate_limited', { retryAfterSeconds });
    const finish = (): void => {
      const next = queues.get(id)?.shift();
      if (next) next();
      else queues.delete(id);
    };
    const running = work();
    running.then(finish, finish);
    return withDeadline(deadline, () => running);
  };
};

const waitInQueue = (queue: (() => void)[], deadline: Deadline | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const proceed = (): void => {
      unsubscribe?.();
      resolve();
    };
    queue.push(proceed);
    const unsubscribe = deadline?.onExpired(() => {
      queue.splice(queue.indexOf(proceed), 1);
      reject(new PorticoError('timed_out'));
    });
  });
