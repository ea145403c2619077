import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { rejectForeign } from './applied-migrations.ts';

/**
 * Copies a consistent snapshot of a database into a file that is empty or missing. Other processes may continue to use
 * the database. Throws if the database cannot be read.
 */
export const copySqlite = (file: string, target: string): void =>
  withConnection(file, { readonly: true }, (connection) => {
    connection.prepare('vacuum into ?').run(target);
  });

/**
 * Throws a `DatabaseOpenError` unless the file is an intact database of this version or an earlier one. The file must
 * not be in use.
 */
export const checkSqlite = (file: string): void =>
  withConnection(file, { readonly: true }, (connection) => {
    const checkResult = connection.pragma('integrity_check(1)', { simple: true });
    if (checkResult !== 'ok') throw new Error(`it is damaged: ${String(checkResult)}`);
    rejectForeign(connection, 'is foreign');
  });

/**
 * Runs the work while no other connection, in this process or another, has the database open, and leaves no log next to
 * the database file. Returns false, without running the work, if the database is open elsewhere.
 */
export const withExclusiveSqlite = async (file: string, work: () => Promise<void>): Promise<boolean> => {
  const connection = new SqliteDriver(file, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma('locking_mode = exclusive');
    // This change waits for the lock that every connection to a database in WAL mode holds, even an idle one.
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

const withConnection = (
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
    throw new DatabaseOpenError(`The database ${file} cannot be used: ${reason}`, { cause });
  } finally {
    connection?.close();
  }
};
