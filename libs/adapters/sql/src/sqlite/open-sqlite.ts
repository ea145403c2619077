import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import type { Log } from '@portico/dependencies';
import { DatabaseOpenError } from '../database-fault.ts';
import type { MigrationOptions } from '../migrations/index.ts';
import type { AppliedMigration } from '../migrations/migration.ts';
import { lacksMigrations } from './applied-migrations.ts';
import { retryWhileBusy } from './busy.ts';
import { busyTimeoutMs, configure, startWaitMs } from './configure.ts';

export interface OpenSqlite {
  readonly file: string;
  /** Never waits for another process's lock: fails with SQLITE_BUSY, and `retryWhileBusy` retries. */
  readonly writer: Connection;
  /** Read-only, and never in a transaction: sees committed data. */
  readonly reader: Connection;
  /** Read-only: for several reads from one snapshot. */
  readonly snapshots: Connection;
}

export interface MigratedSqlite extends OpenSqlite {
  /** The migrations that ran when the database was opened. */
  readonly appliedMigrations: readonly AppliedMigration[];
}

/**
 * Opens the file, creating it if it is missing, and migrates its tables; several processes may do so concurrently.
 * Throws an error that names the file and the reason.
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

const fileSignature = 'SQLite format 3\0';

/** Creates the file if it is missing, readable only by its owner. An empty file is a database without tables. */
export const prepareFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  rejectOtherFiles(file);
};

/** Throws unless the file starts with the signature of a database. An empty file is a database without tables. */
export const rejectOtherFiles = (file: string): void => {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(fileSignature.length);
    const bytesRead = readSync(descriptor, start);
    if (bytesRead > 0 && start.toString('latin1', 0, bytesRead) !== fileSignature)
      throw new Error('it is not a SQLite database');
  } finally {
    closeSync(descriptor);
  }
};

const connect = async (file: string, { onOutdatedSchema, log }: MigrationOptions): Promise<MigratedSqlite> => {
  const connections: Connection[] = [];
  const open = (options: SqliteDriver.Options): Connection => {
    const connection = new SqliteDriver(file, { ...options, fileMustExist: true, timeout: busyTimeoutMs });
    connections.push(connection);
    return connection;
  };
  try {
    const writer = open({});
    await retryWhileBusy(startWaitMs, async () => configure(writer));
    const isOutdated = await retryWhileBusy(startWaitMs, async () => lacksMigrations(writer, onOutdatedSchema));
    const appliedMigrations = isOutdated ? await migrate(file, log) : [];
    const [reader, snapshots] = [open({ readonly: true }), open({ readonly: true })];
    for (const connection of [reader, snapshots]) connection.pragma('trusted_schema = OFF');
    // From here on, `SqliteDatabase` waits for other processes, without blocking this one.
    writer.pragma('busy_timeout = 0');
    return { file, writer, reader, snapshots, appliedMigrations };
  } catch (error) {
    for (const connection of connections) connection.close();
    throw error;
  }
};

/**
 * Loads MikroORM only if there is something to migrate: loading it takes longer than the rest of opening the database.
 */
const migrate = async (file: string, log: Log): Promise<readonly AppliedMigration[]> => {
  const { migrateSqlite } = await import('./migrate-sqlite.ts');
  return migrateSqlite(file, log);
};
