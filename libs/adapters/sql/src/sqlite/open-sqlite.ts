import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import SqliteDriver from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import { DatabaseOpenError } from '../database-fault.ts';
import { entities } from '../entities.ts';
import { migrationsFor, migrationsTable, refuseUnknown } from '../migrations/index.ts';
import { retryWhileBusy } from './busy.ts';

export interface OpenSqlite {
  readonly orm: MikroORM;
  /** Never waits for the lock of another process: it fails by SQLITE_BUSY, and `retryWhileBusy` tries again. */
  readonly writer: Connection;
  /** Cannot write. */
  readonly reader: Connection;
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

const startWaitMs = 60_000;
const busyTimeoutMs = 5_000;
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
  const orm = await MikroORM.init({
    dbName: file,
    driverOptions: { timeout: busyTimeoutMs },
    entities,
    // `SqliteDatabase` opens them, and says why.
    disableTransactions: true,
    extensions: [Migrator],
    migrations: {
      tableName: migrationsTable,
      migrationsList: migrationsFor('sqlite'),
      snapshot: false,
      silent: true,
      // The transaction round them all is opened here, with the lock.
      transactional: false,
      allOrNothing: false,
      disableForeignKeys: false,
    },
  });
  let reader: Connection | null = null;
  try {
    const writer = await orm.em.getConnection().getNativeClient();
    await retryWhileBusy(startWaitMs, async () => configure(writer));
    await retryWhileBusy(startWaitMs, () => migrate(orm, writer));
    reader = new SqliteDriver(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
    reader.pragma('trusted_schema = OFF');
    // From here on the gate of `SqliteDatabase` waits for other processes, in a way that does not block this one.
    writer.pragma('busy_timeout = 0');
    return { orm, writer, reader };
  } catch (error) {
    reader?.close();
    await orm.close(true);
    throw error;
  }
};

/** With `synchronous = FULL` a transaction in the write-ahead log is on the disk once it is committed. */
const configure = (connection: Connection): void => {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('trusted_schema = OFF');
};

const migrate = async (orm: MikroORM, writer: Connection): Promise<void> => {
  // The lock: whoever comes next finds everything done.
  writer.exec('begin immediate');
  try {
    refuseForeign(writer);
    await orm.migrator.up();
    writer.exec('commit');
  } catch (error) {
    if (writer.inTransaction) writer.exec('rollback');
    throw error;
  }
};

/** Throws unless the tables are those of this version or one before; none at all are a database that is new. */
export const refuseForeign = (connection: Connection, empty: 'is new' | 'is foreign' = 'is new'): void => {
  const tables = connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length === 0 && empty === 'is new') return;
  if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
  refuseUnknown(connection.prepare<[], string>('select name from schema_migrations order by id').pluck().all());
};
