import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import type { Log } from '@portico/dependencies';
import { DatabaseOpenError } from '../database-fault.ts';
import type { MigrationOptions } from '../migrations/index.ts';
import type { RanMigration } from '../migrations/migration.ts';
import { lacksMigrations } from './applied-migrations.ts';
import { retryWhileBusy } from './busy.ts';
import { busyTimeoutMs, configure, startWaitMs } from './configure.ts';

export interface OpenSqlite {
  readonly file: string;
  /** Never waits for another process's lock: fails with SQLITE_BUSY, and `retryWhileBusy` retries. */
  readonly writer: Connection;
  /** Read-only, and never in a transaction: sees committed data. */
  readonly reader: Connection;
  /** Read-only: for reads of several statements as of one moment. */
  readonly snapshots: Connection;
}

export interface MigratedSqlite extends OpenSqlite {
  /** What ran when it was opened. */
  readonly migrated: readonly RanMigration[];
}

/**
 * Opens the file, creating it if missing, and migrates its tables; several processes may do so at once. Throws an error
 * that names the file and what is wrong with it.
 */
export const openSqlite = async (path: string, options: MigrationOptions): Promise<MigratedSqlite> => {
  const file = resolve(path);
  try {
    prepareFile(file);
    return await connect(file, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`The database ${file} cannot be opened: ${reason}`, { cause });
  }
};

const magic = 'SQLite format 3\0';

/** Readable by its owner only. An empty file is a database without tables. */
export const prepareFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  refuseOtherFiles(file);
};

/** Throws unless the file begins as a database does. An empty file is a database without tables. */
export const refuseOtherFiles = (file: string): void => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(magic.length);
    const read = readSync(descriptor, head);
    if (read > 0 && head.toString('latin1', 0, read) !== magic) throw new Error('it is not a SQLite database');
  } finally {
    closeSync(descriptor);
  }
};

const connect = async (file: string, { older, log }: MigrationOptions): Promise<MigratedSqlite> => {
  const opened: Connection[] = [];
  const open = (options: SqliteDriver.Options): Connection => {
    const connection = new SqliteDriver(file, { ...options, fileMustExist: true, timeout: busyTimeoutMs });
    opened.push(connection);
    return connection;
  };
  try {
    const writer = open({});
    await retryWhileBusy(startWaitMs, async () => configure(writer));
    const isOutdated = await retryWhileBusy(startWaitMs, async () => lacksMigrations(writer, older));
    const migrated = isOutdated ? await migrate(file, log) : [];
    const [reader, snapshots] = [open({ readonly: true }), open({ readonly: true })];
    for (const connection of [reader, snapshots]) connection.pragma('trusted_schema = OFF');
    // From here on `SqliteDatabase` waits for other processes, without blocking this one.
    writer.pragma('busy_timeout = 0');
    return { file, writer, reader, snapshots, migrated };
  } catch (error) {
    for (const connection of opened) connection.close();
    throw error;
  }
};

/** MikroORM is loaded only where there is something to migrate: loading it takes longer than the rest of opening. */
const migrate = async (file: string, log: Log): Promise<readonly RanMigration[]> => {
  const { migrateSqlite } = await import('./migrate-sqlite.ts');
  return migrateSqlite(file, log);
};
