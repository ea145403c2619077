import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { rejectOutdated } from '../migrations/index.ts';
import type { MoveSource } from '../move/move.ts';
import { readAppliedNames, rejectForeign } from './applied-migrations.ts';
import { isBusy } from './busy.ts';
import { createSqliteRows } from './sqlite-rows.ts';

/**
 * Opens a database that no other connection has open, and locks out all others until it is closed. Nothing is written
 * to it.
 */
export const openSqliteSource = async (path: string): Promise<MoveSource> => {
  const file = resolve(path);
  const name = `sqlite:${file}`;
  const connection = openExclusively(file, name);
  return {
    name,
    rows: createSqliteRows(connection),
    lockKey: null,
    // Not needed: the lock excludes other processes.
    rejectUse: async () => undefined,
    close: async () => void connection.close(),
  };
};

const openExclusively = (file: string, name: string): Connection => {
  if (!existsSync(file)) throw new DatabaseOpenError(`${name} cannot be moved: the file does not exist`);
  let connection: Connection | null = null;
  try {
    connection = new SqliteDriver(file, { fileMustExist: true, timeout: 0 });
    connection.pragma('trusted_schema = OFF');
    connection.pragma('locking_mode = exclusive');
    // Fails if any other connection is open, even an idle one.
    connection.exec('begin exclusive');
    connection.pragma('query_only = ON');
    rejectForeign(connection, 'is foreign');
    rejectOutdated(readAppliedNames(connection));
    return connection;
  } catch (cause) {
    connection?.close();
    const reason = isBusy(cause)
      ? 'it is in use by a process: stop the service, its workers and other commands first'
      : reasonOf(cause);
    throw new DatabaseOpenError(`${name} cannot be moved: ${reason}`, { cause });
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
