import { type Deadline, PorticoError } from '@portico/domain';

/** A deadline that expires when `expire` is called. */
export interface ManualDeadline extends Deadline {
  expire(): void;
  /** Whether a commit has begun under this deadline. */
  readonly hasBegunCommit: boolean;
}

export const createManualDeadline = (): ManualDeadline => {
  let state: 'open' | 'begun' | 'expired' = 'open';
  const callbacks = new Set<() => void>();
  return {
    get hasExpired() {
      return state === 'expired';
    },
    get hasBegunCommit() {
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
    suspend: () => undefined,
    restart: () => undefined,
    expire() {
      if (state !== 'open') return;
      state = 'expired';
      for (const callback of callbacks) callback();
    },
  };
};

/**
 * Returns a deadline that expires at the last moment: it appears to be open until a commit begins, and rejects that
 * commit.
 */
export const createDeadlineExpiringAtCommit = (): Deadline => {
  const deadline = createManualDeadline();
  return {
    get hasExpired() {
      return deadline.hasExpired;
    },
    beginCommit() {
      deadline.expire();
      deadline.beginCommit();
    },
    onExpired: (callback) => deadline.onExpired(callback),
    suspend: () => undefined,
    restart: () => undefined,
  };
};
