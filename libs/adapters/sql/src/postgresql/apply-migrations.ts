import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import type { Log } from '@portico/dependencies';
import { entities } from '../entities.ts';
import { isFillingMark, migrationsTable } from '../migrations/index.ts';
import type { AppliedMigration } from '../migrations/migration.ts';
import { migrationsFor } from '../migrations/migrations-for.ts';
import { runMigrations } from '../migrations/run-migrations.ts';
import { connectMs } from './migrate-postgresql.ts';
import { applicationName } from './pool.ts';
import { adaptTableToPostgresql } from './tables.ts';

/**
 * Applies the pending migrations and returns them. If `mark` is given, the database must be new or already have a mark.
 * The caller must hold the lock.
 */
export const applyMigrations = async (
  url: string,
  database: string,
  log: Log,
  mark: string | null,
): Promise<readonly AppliedMigration[]> => {
  const orm = await MikroORM.init(createOrmOptions(url, database));
  try {
    if (mark !== null) await replaceMark(orm, mark);
    return await runMigrations(orm.migrator, log);
  } finally {
    await orm.close(true);
  }
};

/** Replaces the mark. Throws if another process has created tables since the caller checked. */
const replaceMark = async (orm: MikroORM, mark: string): Promise<void> => {
  const appliedNames = (await orm.migrator.getExecuted()).map(({ name }) => name);
  if (appliedNames.length > 0 && !appliedNames.some(isFillingMark)) throw new Error('it is not empty');
  if (appliedNames.includes(mark)) return;
  await orm.migrator.logMigration(mark);
  for (const oldMark of appliedNames.filter(isFillingMark)) await orm.migrator.unlogMigration(oldMark);
};

/**
 * Returns the options of a connection without the pool's limits, because a migration may be slow. Does not create the
 * database, which is up to the operator.
 */
export const createOrmOptions = (url: string, database: string): Options => ({
  dbName: database,
  entities,
  ensureDatabase: false,
  // Only the migrations define triggers.
  schemaGenerator: { skipTables: [migrationsTable], ignoreTriggers: true },
  discovery: { onMetadata: adaptTableToPostgresql },
  driverOptions: {
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    fallback_application_name: applicationName,
  },
  extensions: [Migrator],
  migrations: {
    tableName: migrationsTable,
    migrationsList: migrationsFor('postgresql'),
    snapshot: false,
    silent: true,
    transactional: true,
    allOrNothing: false,
    disableForeignKeys: false,
  },
});
