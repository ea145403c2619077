import { setTimeout } from 'node:timers/promises';

/**
 * Works again while another process holds the database's lock, until `waitMs` have passed. It waits between the
 * attempts without blocking the event loop, as SQLite's own waiting would.
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

/** SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY_RECOVERY; MikroORM, which migrates, keeps the driver's code in its errors. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
