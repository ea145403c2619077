import { type Deadline, PorticoError } from '@portico/domain';

/** A deadline that expires on command. */
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

/** A deadline that expires at the last moment: it looks open until a commit is about to begin, which it then refuses. */
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
