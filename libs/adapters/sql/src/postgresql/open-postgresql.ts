import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/dependencies';
import type { Pool } from 'pg';
import { DatabaseOpenError, DatabaseUnavailableError } from '../database-fault.ts';
import type { MigrationOptions } from '../migrations/index.ts';
import type { AppliedMigration } from '../migrations/migration.ts';
import { isUnreachable } from './database-error.ts';
import { migratePostgresql } from './migrate-postgresql.ts';
import { createPool } from './pool.ts';

export interface MigratedPostgresql {
  readonly pool: Pool;
  /** The migrations that ran when the database was opened. */
  readonly appliedMigrations: readonly AppliedMigration[];
}

/**
 * Migrates the tables and opens a pool. Retries for `startWaitMs` while the server cannot be reached, then throws a
 * `DatabaseUnavailableError`. If waiting would not help, throws an error that names the server and the reason. No
 * message contains the password.
 */
export const openPostgresql = async (
  url: string,
  options: MigrationOptions,
  startWaitMs: number,
): Promise<MigratedPostgresql> => {
  const appliedMigrations = await retryUntilReachable(addressOf(url), options.log, startWaitMs, () =>
    migratePostgresql(url, options),
  );
  return { pool: createPool(url), appliedMigrations };
};

const firstPauseMs = 250;
const pauseMsMax = 5_000;

/**
 * Runs the work, and retries for `startWaitMs` while the server at the address cannot be reached. Throws like
 * `openPostgresql`.
 */
export const retryUntilReachable = async <T>(
  address: string,
  log: Log,
  startWaitMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const deadline = performance.now() + startWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await work();
    } catch (error) {
      const failure = createOpenError(address, error);
      const remainingMs = deadline - performance.now();
      if (!(failure instanceof DatabaseUnavailableError) || remainingMs <= 0) throw failure;
      const retryNotice = `retrying for up to ${Math.ceil(remainingMs / 1_000)} s`;
      log.warn({ err: error }, `The database at ${address} cannot be reached; ${retryNotice}`);
      await setTimeout(Math.min(pauseMs, remainingMs));
    }
  }
};

/** Returns an error that names the server and the reason; a `DatabaseUnavailableError` if waiting may help. */
export const createOpenError = (address: string, error: unknown): DatabaseOpenError | DatabaseUnavailableError =>
  isUnreachable(error)
    ? new DatabaseUnavailableError(`The database at ${address} cannot be reached: ${reasonOf(error)}`, { cause: error })
    : new DatabaseOpenError(`The database at ${address} cannot be opened: ${reasonOf(error)}`, { cause: error });

/** Returns only the host, port and database, because the URL contains the password. */
export const addressOf = (url: string): string => {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw new DatabaseOpenError(
      'The database address is not a PostgreSQL URL: use postgresql://user:password@host:port/database',
    );
  }
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
};
