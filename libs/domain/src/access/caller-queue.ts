import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { Principal } from './principal.ts';
import { runWithDeadline } from './run-with-deadline.ts';

/** The default maximum number of waiting tasks per caller. */
const waitingTasksMaxDefault = 2;

/** The suggested delay before a retry; a task is usually done much sooner. */
const retryAfterSeconds = 1;

/** Runs a task when it is its caller's turn. */
export type CallerQueue = <Result>(
  caller: Pick<Principal, 'profile' | 'deadline'>,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * Creates a queue for work that runs on one thread shared by all callers. The queue runs one task per caller at a time,
 * in order of arrival: a caller with many requests waits for its own tasks, and every other caller waits for at most
 * one task of each other caller. Up to `waitingTasksMax` more tasks per caller may wait. The queue throws `rate_limited` immediately
 * for any further task, and `timed_out` for a task whose deadline expires. A running task blocks its caller's next one
 * until it is done, even after its deadline: the thread is still busy with it.
 */
export const createCallerQueue = (waitingTasksMax = waitingTasksMaxDefault): CallerQueue => {
  /** The waiting tasks of each caller that has a running task. */
  const queues = new Map<string, (() => void)[]>();
  return async ({ profile: { id }, deadline }, work) => {
    const queue = queues.get(id);
    if (!queue) queues.set(id, []);
    else if (queue.length < waitingTasksMax) await waitInQueue(queue, deadline);
    else throw new PorticoError('rate_limited', { retryAfterSeconds });
    const finish = (): void => {
      const startNext = queues.get(id)?.shift();
      if (startNext) startNext();
      else queues.delete(id);
    };
    const result = work();
    result.then(finish, finish);
    return runWithDeadline(deadline, () => result);
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
