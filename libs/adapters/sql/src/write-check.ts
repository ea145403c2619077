import { createOutage, type Log } from '@portico/dependencies';
import { fulfilledWithin } from './fulfilled-within.ts';
import type { SqlDatabase } from './sql.ts';

export interface WriteCheckOptions {
  /** How long a check waits for its write, in milliseconds. */
  readonly waitMs: number;
  /** Whether a write that has to wait longer does so behind others that are taken, so that it says nothing. */
  readonly isWaitingFine: boolean;
  readonly log: Log;
}

/** A write that was taken answers the checks of so many milliseconds. */
const takenMs = 5_000;

/**
 * A check that rejects while the database takes no writes: a full disk, a file at its greatest size, a server that only reads. It
 * writes a row of its own; while that is refused, at each check, so that it is fulfilled again as soon as one is taken.
 */
export const createWriteCheck = (
  database: SqlDatabase,
  { waitMs, isWaitingFine, log }: WriteCheckOptions,
): (() => Promise<void>) => {
  let takenUntil = -Infinity;
  let underWay: Promise<void> | null = null;
  let refusal: { readonly error: unknown } | null = null;
  const outage = createOutage(log, { back: 'The database takes writes again' });

  const write = async (): Promise<void> => {
    try {
      await database.write((sql) => sql.run(upsert, [new Date().toISOString()]));
      takenUntil = performance.now() + takenMs;
      refusal = null;
      outage.end();
    } catch (error) {
      outage.begin({ message: 'The database takes no writes', fields: { err: error } });
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
    if (!isDone && !isWaitingFine) throw new Error(`The database did not take a write within ${waitMs} ms.`);
  };
};

const upsert = `insert into settings (name, value) values ('write-check', ?)
  on conflict (name) do update set value = excluded.value`;
