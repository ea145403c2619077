import type { Log } from '@portico/dependencies';
import { Client } from 'pg';
import { migrationsTable, needsMigrations, type MigrationOptions } from '../migrations/index.ts';
import type { AppliedMigration } from '../migrations/migration.ts';
import { applicationName } from './pool.ts';

/**
 * Migrates the tables, each migration in its own transaction, and returns the migrations that ran. If several processes
 * do so concurrently, one migrates while the others wait. A separate connection holds the lock, and releases it when it
 * closes. If `mark` is given, the database must be new or already have a mark, and gets the mark before it gets tables.
 */
export const migratePostgresql = async (
  url: string,
  { onOutdatedSchema, log }: MigrationOptions,
  mark: string | null = null,
): Promise<readonly AppliedMigration[]> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: lockWaitMs + responseMs,
    keepAlive: true,
    fallback_application_name: applicationName,
  });
  // The pending query rejects anyway.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await rejectOldServer(client);
    await lock(client, log);
    if (mark === null && !needsMigrations(await readAppliedNames(client), onOutdatedSchema)) return [];
    return await applyMigrations(url, await databaseOf(client), log, mark);
  } finally {
    // Closing the connection, which may be broken, releases the lock.
    await client.end().catch(() => undefined);
  }
};

export const connectMs = 2_000;
const responseMs = 5_000;
const lockWaitMs = 60_000;
/** The oldest supported version, in the format of `server_version_num`. */
export const oldestVersion = 140_000;

/** Throws if the server is older than the oldest supported one. */
export const rejectOldServer = async (client: Client): Promise<void> => {
  const version = await readSetting(client, 'server_version_num');
  if (Number(version) >= oldestVersion) return;
  throw new Error(`it is PostgreSQL ${await readSetting(client, 'server_version')}; version 14 or newer is required`);
};

const readSetting = async (client: Client, name: string): Promise<string> => {
  const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
  return rows[0]?.value ?? '';
};

const databaseOf = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  return rows[0]?.name ?? '';
};

/**
 * Acquires the lock of a migration. The key is "port" in ASCII and the number of this lock; `PostgresqlDatabase` uses a
 * different number.
 */
const lock = async (client: Client, log: Log): Promise<void> => {
  const { rows } = await client.query<{ isFree: boolean }>('select pg_try_advisory_lock(1886351988, 2) as "isFree"');
  if (rows[0]?.isFree) return;
  log.warn({}, `Another process is migrating the database: waiting up to ${lockWaitMs / 1_000} s for it`);
  await client.query(`select set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, false)`, [
    String(lockWaitMs),
  ]);
  await client.query('select pg_advisory_lock(1886351988, 2)');
};

/** Returns the names of the applied migrations, oldest first; none if the table of migrations does not exist. */
export const readAppliedNames = async (client: Client): Promise<readonly string[]> => {
  const { rows: tables } = await client.query<{ isPresent: boolean }>(
    'select to_regclass($1) is not null as "isPresent"',
    [migrationsTable],
  );
  if (!tables[0]?.isPresent) return [];
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by id');
  return rows.map(({ name }) => name);
};

/**
 * Loads MikroORM only if there is something to migrate: loading it takes longer than the rest of opening the database.
 */
const applyMigrations = async (
  url: string,
  database: string,
  log: Log,
  mark: string | null,
): Promise<readonly AppliedMigration[]> => {
  const apply = await import('./apply-migrations.ts');
  return apply.applyMigrations(url, database, log, mark);
};
