import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { createReadOnlyStores, type InspectedDatabase } from '../inspect-database.ts';
import { migrationStateOf, migrationsTable } from '../migrations/index.ts';
import { rejectOtherFiles } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** How long a read waits for another process's lock. The wait blocks this process. */
const busyTimeoutMs = 1_000;

/** See `inspectDatabase`. */
export const inspectSqlite = (file: string): InspectedDatabase | null => {
  if (!existsSync(file)) return null;
  let connection: Connection | null = null;
  try {
    rejectOtherFiles(file);
    connection = openWithoutSideEffects(file);
    return inspect(connection, file);
  } catch (cause) {
    connection?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`The database ${file} cannot be used: ${reason}`, { cause });
  }
};

/**
 * Opens a connection that leaves the folder unchanged. A read-only connection would create an empty log, and could not
 * delete it. Any other connection would, when it closes, write the log of a crashed process into the database.
 */
const openWithoutSideEffects = (file: string): Connection => {
  const connection = new SqliteDriver(file, {
    readonly: existsSync(`${file}-wal`),
    fileMustExist: true,
    timeout: busyTimeoutMs,
  });
  connection.pragma('query_only = ON');
  connection.pragma('trusted_schema = OFF');
  return connection;
};

const inspect = (connection: Connection, file: string): InspectedDatabase => {
  // One connection that rejects all writes is enough for sequential reads.
  const database = new SqliteDatabase({ file, writer: connection, reader: connection, snapshots: connection }, 0);
  return {
    product: `SQLite ${connection.prepare<[], string>('select sqlite_version()').pluck().get() ?? ''}`,
    isTooOld: false,
    tables: readTables(connection),
    readOnlyReason: findReadOnlyReason(file),
    clockSkewMs: null,
    stores: createReadOnlyStores(database),
    file: {
      bytes: statSync(file).size,
      findDamage() {
        const result = connection.pragma('quick_check(1)', { simple: true });
        return result === 'ok' ? null : String(result);
      },
    },
    close: () => database.close(),
  };
};

const readTables = (connection: Connection): InspectedDatabase['tables'] => {
  const tables = connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length === 0) return { state: 'new' };
  if (!tables.includes(migrationsTable)) return { state: 'foreign' };
  return migrationStateOf(connection.prepare<[], string>('select name from schema_migrations').pluck().all());
};

/** Returns the reason why the database cannot be written to, or null. SQLite writes its log next to the file. */
const findReadOnlyReason = (file: string): string | null => {
  try {
    accessSync(file, constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
    return null;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    return `this user may not write to ${path ?? file} (${code ?? 'unknown error'})`;
  }
};
