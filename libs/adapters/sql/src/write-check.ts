import { createOutage, fulfilledWithin, type Log } from '@portico/dependencies';
import type { SqlDatabase } from './sql.ts';

export interface WriteCheckOptions {
  /** How long a check waits for its write, in milliseconds. */
  readonly waitMs: number;
  /** Whether a slower write passes the check, because it only queues behind other writes that succeed. */
  readonly isWaitingFine: boolean;
  readonly log: Log;
}

/** After a successful write, checks pass without a new one for this many milliseconds. */
const takenMs = 5_000;

/**
 * A check that rejects while the database accepts no writes: a full disk, a file at its size limit, a read-only server.
 * It writes a row of its own. While writes fail it tries one at every check, so it passes again as soon as one
 * succeeds.
 */
export const createWriteCheck = (
  database: SqlDatabase,
  { waitMs, isWaitingFine, log }: WriteCheckOptions,
): (() => Promise<void>) => {
  let takenUntil = -Infinity;
  let underWay: Promise<void> | null = null;
  let refusal: { readonly error: unknown } | null = null;
  const outage = createOutage(log, { back: 'The database accepts writes again' });

  const write = async (): Promise<void> => {
    try {
      await database.write((sql) => sql.run(upsert, [new Date().toISOString()]));
      takenUntil = performance.now() + takenMs;
      refusal = null;
      outage.end();
    } catch (error) {
      outage.begin({ message: 'The database rejects writes: not ready until it accepts them', fields: { err: error } });
      refusal = { error };
    }
  };

  return async () => {
    if (performance.now() < takenUntil) return;
    underWay ??= write().finally(() => {
      underWay = null;
    });
    const isDone = await fulfilledWithin(waitMs, underWay);
    if (refusal) throw refusal.error;
    if (!isDone && !isWaitingFine) throw new Error(`The database did not accept a write within ${waitMs} ms.`);
  };
};

const upsert = `insert into settings (name, value) values ('write-check', ?)
  on conflict (name) do update set value = excluded.value`;
