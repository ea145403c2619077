import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/sqlite';
import type { Log } from '@portico/dependencies';
import type { Database as Connection } from 'better-sqlite3';
import { entities } from '../entities.ts';
import { migrationsTable } from '../migrations/index.ts';
import type { AppliedMigration } from '../migrations/migration.ts';
import { migrationsFor } from '../migrations/migrations-for.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import { rejectForeign, tablesOf } from './applied-migrations.ts';
import { retryWhileBusy } from './busy.ts';
import { busyTimeoutMs, configure, startWaitMs } from './configure.ts';

/**
 * Migrates the tables on a MikroORM connection, which is closed afterwards, and returns the migrations that ran. If
 * `mark` is given, the database must be new, and gets the mark in the same transaction.
 */
export const migrateSqlite = async (
  file: string,
  log: Log,
  mark: string | null = null,
): Promise<readonly AppliedMigration[]> => {
  const orm = await MikroORM.init(createOrmOptions(file));
  try {
    const connection = await orm.em.getConnection().getNativeClient();
    await retryWhileBusy(startWaitMs, async () => configure(connection));
    return await retryWhileBusy(startWaitMs, () => migrate(orm, connection, log, mark));
  } finally {
    await orm.close(true);
  }
};

export const createOrmOptions = (file: string): Options => ({
  dbName: file,
  driverOptions: { timeout: busyTimeoutMs },
  entities,
  // `migrate` runs all migrations in one transaction, together with the lock.
  disableTransactions: true,
  // Only the migrations define triggers.
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

const migrate = async (
  orm: MikroORM,
  connection: Connection,
  log: Log,
  mark: string | null,
): Promise<readonly AppliedMigration[]> => {
  // Acquires the lock: the next process finds all tables migrated.
  connection.exec('begin immediate');
  try {
    rejectForeign(connection);
    if (mark !== null && tablesOf(connection).length > 0) throw new Error('it is not empty');
    const appliedMigrations = await runMigrations(orm.migrator, log);
    if (mark !== null) await orm.migrator.logMigration(mark);
    connection.exec('commit');
    return appliedMigrations;
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
};
