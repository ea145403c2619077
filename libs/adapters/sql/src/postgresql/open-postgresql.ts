import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { Pool } from 'pg';
import { DatabaseOpenError, DatabaseUnavailableError } from '../database-fault.ts';
import { isUnreachable } from './database-error.ts';
import { migratePostgresql } from './migrate-postgresql.ts';
import { createPool } from './pool.ts';

/**
 * Brings the tables up to date and opens a pool. While the server cannot be reached it tries again, for `startWaitMs`; then it
 * throws a `DatabaseUnavailableError`. Throws an error that names the server and what is wrong where waiting does not help.
 * No message has the password in it.
 */
export const openPostgresql = async (url: string, log: Log, startWaitMs: number): Promise<Pool> => {
  const address = addressOf(url);
  await reachable(address, log, startWaitMs, () => migratePostgresql(url, log));
  return createPool(url);
};

const firstPauseMs = 250;
const pauseMsMax = 5_000;

const reachable = async <T>(address: string, log: Log, startWaitMs: number, work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + startWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await work();
    } catch (error) {
      const cannot = `The database at ${address} cannot be`;
      if (!isUnreachable(error)) throw new DatabaseOpenError(`${cannot} opened: ${reasonOf(error)}`, { cause: error });
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) {
        throw new DatabaseUnavailableError(`${cannot} reached: ${reasonOf(error)}`, { cause: error });
      }
      log.warn({ err: error }, `${cannot} reached; trying again for ${Math.ceil(remainingMs / 1_000)} s`);
      await setTimeout(Math.min(pauseMs, remainingMs));
    }
  }
};

/** Host, port and database alone: an address has the password in it. */
const addressOf = (url: string): string => {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw new DatabaseOpenError(
      'The address of the database is no URL of PostgreSQL: postgresql://user:password@host:port/database',
    );
  }
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
};
