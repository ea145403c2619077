import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/sqlite';
import type { Database as Connection } from 'better-sqlite3';
import { entities } from '../entities.ts';
import { migrationsFor, migrationsTable, refuseUnknown } from '../migrations/index.ts';
import { retryWhileBusy } from './busy.ts';

export const startWaitMs = 60_000;
export const busyTimeoutMs = 5_000;

/**
 * Migrates the tables, on a MikroORM connection that is closed afterwards. With a mark the database must be new, and
 * gets the mark in the same transaction.
 */
export const migrateSqlite = async (file: string, mark: string | null = null): Promise<void> => {
  const orm = await MikroORM.init(ormOptions(file));
  try {
    const connection = await orm.em.getConnection().getNativeClient();
    await retryWhileBusy(startWaitMs, async () => configure(connection));
    await retryWhileBusy(startWaitMs, () => migrate(orm, connection, mark));
  } finally {
    await orm.close(true);
  }
};

export const ormOptions = (file: string): Options => ({
  dbName: file,
  driverOptions: { timeout: busyTimeoutMs },
  entities,
  // `migrate` opens one transaction around all migrations, with the lock.
  disableTransactions: true,
  // The migrations alone have triggers.
  schemaGenerator: { ignoreTriggers: true },
  extensions: [Migrator],
  migrations: {
    tableName: migrationsTable,
    migrationsList: migrationsFor('sqlite'),
    snapshot: false,
    silent: true,
    transactional: false,
    allOrNothing: false,
    disableForeignKeys: false,
  },
});

/** With `synchronous = FULL`, a committed transaction in the write-ahead log is on disk. */
export const configure = (connection: Connection): void => {
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  // In pages, 64 MB: `Checkpoints` comes first, unless a change is larger or commits follow one another without a pause.
  connection.pragma('wal_autocheckpoint = 16000');
  connection.pragma('foreign_keys = ON');
  connection.pragma('trusted_schema = OFF');
};

const migrate = async (orm: MikroORM, connection: Connection, mark: string | null): Promise<void> => {
  // The lock: the next process finds everything migrated.
  connection.exec('begin immediate');
  try {
    refuseForeign(connection);
    if (mark !== null && tablesOf(connection).length > 0) throw new Error('it is not empty');
    await orm.migrator.up();
    if (mark !== null) await orm.migrator.logMigration(mark);
    connection.exec('commit');
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
};

/** Throws unless the tables are those of this version or an earlier one. No tables at all mean a new database. */
export const refuseForeign = (connection: Connection, empty: 'is new' | 'is foreign' = 'is new'): void => {
  const tables = tablesOf(connection);
  if (tables.length === 0 && empty === 'is new') return;
  if (!tables.includes(migrationsTable)) throw new Error('it is the SQLite database of another application');
  refuseUnknown(appliedOn(connection));
};

export const tablesOf = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();

/** The names of the applied migrations, oldest first. */
export const appliedOn = (connection: Connection): readonly string[] =>
  connection.prepare<[], string>('select name from schema_migrations order by id').pluck().all();
