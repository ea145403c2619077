import { createOutage, fulfillsWithin, type Log } from '@portico/dependencies';
import type { SqlDatabase } from './sql.ts';

export interface WriteCheckOptions {
  /** How long a check waits for its write, in milliseconds. */
  readonly waitMs: number;
  /**
   * Whether the check also passes if its write takes longer, because it only queues behind other writes that succeed.
   */
  readonly isWaitingAllowed: boolean;
  readonly log: Log;
}

/** After a successful write, checks pass without a new one for this many milliseconds. */
const recentWriteMs = 5_000;

/**
 * Creates a check that rejects while the database accepts no writes, for example because of a full disk, a file at its
 * size limit or a read-only server. The check writes a row of its own. While writes fail, every check tries one, so
 * that checks pass again when a write succeeds.
 */
export const createWriteCheck = (
  database: SqlDatabase,
  { waitMs, isWaitingAllowed, log }: WriteCheckOptions,
): (() => Promise<void>) => {
  let validUntil = -Infinity;
  let pendingWrite: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;
  const outage = createOutage(log, { recoveryMessage: 'The database accepts writes again' });

  const write = async (): Promise<void> => {
    try {
      await database.write((sql) => sql.run(upsert, [new Date().toISOString()]));
      validUntil = performance.now() + recentWriteMs;
      failure = null;
      outage.end();
    } catch (error) {
      outage.start({
        message: 'The database is rejecting writes: the service is not ready until it accepts them again',
        fields: { err: error },
      });
      failure = { error };
    }
  };

  return async () => {
    if (performance.now() < validUntil) return;
    pendingWrite ??= write().finally(() => {
      pendingWrite = null;
    });
    const isDone = await fulfillsWithin(waitMs, pendingWrite);
    if (failure) throw failure.error;
    if (!isDone && !isWaitingAllowed) throw new Error(`The database did not accept a write within ${waitMs} ms.`);
  };
};

const upsert = `insert into settings (name, value) values ('write-check', ?)
  on conflict (name) do update set value = excluded.value`;
