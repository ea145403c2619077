import { setTimeout } from 'node:timers/promises';

/**
 * Retries while another process holds the database lock, for up to `waitMs`. Unlike SQLite's own busy timeout, waiting
 * between attempts does not block the event loop.
 */
export const retryWhileBusy = async <T>(waitMs: number, work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      await setTimeout(1 + Math.random() * pauseMsMax);
    }
  }
};

const pauseMsMax = 10;

/**
 * Returns whether the error is SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT or SQLITE_BUSY_RECOVERY. MikroORM keeps the driver's
 * code in its migration errors.
 */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
