import { type Deadline, PorticoError } from '@portico/domain';

/** A deadline that expires when it is told to. */
export interface DeadlineByHand extends Deadline {
  expire(): void;
  /** Whether a commit has begun by it. */
  readonly begun: boolean;
}

export const deadlineByHand = (): DeadlineByHand => {
  let state: 'open' | 'begun' | 'expired' = 'open';
  const callbacks = new Set<() => void>();
  return {
    get expired() {
      return state === 'expired';
    },
    get begun() {
      return state === 'begun';
    },
    beginCommit() {
      if (state === 'expired') throw new PorticoError('timed_out');
      state = 'begun';
    },
    onExpired(callback) {
      if (state === 'expired') callback();
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    expire() {
      if (state !== 'open') return;
      state = 'expired';
      for (const callback of callbacks) callback();
    },
  };
};

/** One that expires at the last moment: whoever looks before sees it open, and a commit cannot begin by it. */
export const expiringAtCommit = (): Deadline => {
  const deadline = deadlineByHand();
  return {
    get expired() {
      return deadline.expired;
    },
    beginCommit() {
      deadline.expire();
      deadline.beginCommit();
    },
    onExpired: (callback) => deadline.onExpired(callback),
  };
};
