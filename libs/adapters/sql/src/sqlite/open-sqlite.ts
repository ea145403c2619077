import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { retryWhileBusy } from './busy.ts';
import { busyTimeoutMs, configure, migrateSqlite, startWaitMs } from './migrate-sqlite.ts';

export interface OpenSqlite {
  /** Never waits for the lock of another process: it fails by SQLITE_BUSY, and `retryWhileBusy` tries again. */
  readonly writer: Connection;
  /** Cannot write, and never has a transaction open: it sees what is committed. */
  readonly reader: Connection;
  /** Cannot write: for reads of more than one statement as of one moment. */
  readonly snapshots: Connection;
}

/**
 * Opens the file, makes it where there is none, and brings its tables up to date. Of several processes that do so at
 * once each comes up. Throws an error that names the file and what is wrong with it.
 */
export const openSqlite = async (path: string): Promise<OpenSqlite> => {
  const file = resolve(path);
  try {
    prepareFile(file);
    return await connect(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`The database ${file} cannot be opened: ${reason}`, { cause });
  }
};

const magic = 'SQLite format 3\0';

/** Only the owner may read what is kept. An empty file is a database without tables. */
const prepareFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(magic.length);
    const read = readSync(descriptor, head);
    if (read > 0 && head.toString('latin1', 0, read) !== magic) throw new Error('it is no SQLite database');
  } finally {
    closeSync(descriptor);
  }
};

const connect = async (file: string): Promise<OpenSqlite> => {
  await migrateSqlite(file);
  const opened: Connection[] = [];
  const open = (options: SqliteDriver.Options): Connection => {
    const connection = new SqliteDriver(file, { ...options, fileMustExist: true, timeout: busyTimeoutMs });
    opened.push(connection);
    return connection;
  };
  try {
    const writer = open({});
    await retryWhileBusy(startWaitMs, async () => configure(writer));
    const [reader, snapshots] = [open({ readonly: true }), open({ readonly: true })];
    for (const connection of [reader, snapshots]) connection.pragma('trusted_schema = OFF');
    // From here on the mutex of `SqliteDatabase` waits for other processes, in a way that does not block this one.
    writer.pragma('busy_timeout = 0');
    return { writer, reader, snapshots };
  } catch (error) {
    for (const connection of opened) connection.close();
    throw error;
  }
};
