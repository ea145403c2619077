import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { refuseForeign } from './migrate-sqlite.ts';

/**
 * Copies a database as it is at one moment into a file that is empty or not there; processes that use it go on. Throws where
 * it cannot be read.
 */
export const copySqlite = (file: string, target: string): void =>
  opened(file, { readonly: true }, (connection) => {
    connection.prepare('vacuum into ?').run(target);
  });

/** Throws a `DatabaseOpenError` unless the file is a whole database of this version or one before. It must not be in use. */
export const checkSqlite = (file: string): void =>
  opened(file, { readonly: true }, (connection) => {
    const faults = connection.pragma('integrity_check(1)', { simple: true });
    if (faults !== 'ok') throw new Error(`it is damaged: ${String(faults)}`);
    refuseForeign(connection, 'is foreign');
  });

/**
 * Does the work while no other connection, of this process or another, has the database open, and leaves its file without a
 * log beside it. Returns false, and does nothing, where one has.
 */
export const aloneWithSqlite = async (file: string, work: () => Promise<void>): Promise<boolean> => {
  const connection = new SqliteDriver(file, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma('locking_mode = exclusive');
    // Whoever has a database with a write-ahead log open holds a lock, idle too, that this change waits for.
    connection.pragma('journal_mode = delete');
    connection.exec('begin exclusive');
    await work();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return false;
    throw error;
  } finally {
    connection.close();
  }
};

const busyTimeoutMs = 5_000;

const opened = (
  file: string,
  options: { readonly readonly: boolean },
  work: (connection: Connection) => void,
): void => {
  let connection: Connection | null = null;
  try {
    connection = new SqliteDriver(file, { ...options, fileMustExist: true, timeout: busyTimeoutMs });
    connection.pragma('trusted_schema = OFF');
    work(connection);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`The database ${file} cannot be taken: ${reason}`, { cause });
  } finally {
    connection?.close();
  }
};
