import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { Principal } from './principal.ts';
import { untilExpired } from './until-expired.ts';

/** Most pieces of work of one caller that wait. */
const waitingMax = 2;

/** A piece is usually done much sooner. */
const retryAfterSeconds = 1;

/** Does a piece of work when it is its caller's turn. */
export type CallerTurns = <Result>(
  caller: Pick<Principal, 'profile' | 'deadline'>,
  work: () => Promise<Result>,
) => Promise<Result>;

/**
 * For work that all callers share one thread for. Of each caller one piece is done at a time, in order of arrival, so
 * whoever asks for much waits for itself, and everyone else for at most one piece of each other caller. Two more of a
 * caller may wait. Throws `rate_limited` at once for a further one, and `timed_out` for one whose deadline expires. A
 * piece that was begun keeps its turn until it is done: the thread is still at it.
 */
export const createCallerTurns = (): CallerTurns => {
  /** What waits, by callers for whom something is done. */
  const lines = new Map<string, (() => void)[]>();
  return async ({ profile: { id }, deadline }, work) => {
    const line = lines.get(id);
    if (!line) lines.set(id, []);
    else if (line.length < waitingMax) await turnIn(line, deadline);
    else throw new PorticoError('rate_limited', { retryAfterSeconds });
    const end = (): void => {
      const next = lines.get(id)?.shift();
      if (next) next();
      else lines.delete(id);
    };
    const running = work();
    running.then(end, end);
    return untilExpired(deadline, () => running);
  };
};

const turnIn = (line: (() => void)[], deadline: Deadline | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const comes = (): void => {
      forget?.();
      resolve();
    };
    line.push(comes);
    const forget = deadline?.onExpired(() => {
      line.splice(line.indexOf(comes), 1);
      reject(new PorticoError('timed_out'));
    });
  });
