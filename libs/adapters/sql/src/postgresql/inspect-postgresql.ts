import { createReadOnlyStores, type InspectedDatabase } from '../inspect-database.ts';
import { migrationStateOf, migrationsTable } from '../migrations/index.ts';
import type { Sql } from '../sql.ts';
import { oldestVersion } from './migrate-postgresql.ts';
import { addressOf, createOpenError } from './open-postgresql.ts';
import { createPool } from './pool.ts';
import { PostgresqlDatabase } from './postgresql-database.ts';

/** See `inspectDatabase`. */
export const inspectPostgresql = async (url: string): Promise<InspectedDatabase> => {
  const address = addressOf(url);
  const database = new PostgresqlDatabase(createPool(url));
  try {
    const requestedAt = Date.now();
    const server = await readServer(database.reads);
    const respondedAt = Date.now();
    return {
      product: `PostgreSQL ${server.version}`,
      isTooOld: server.number < oldestVersion,
      tables: server.isMigrated ? migrationStateOf(await readApplied(database.reads)) : { state: 'new' },
      readOnlyReason: findReadOnlyReason(server),
      clockSkewMs: server.now - (requestedAt + respondedAt) / 2,
      stores: createReadOnlyStores(database),
      file: null,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw createOpenError(address, error);
  }
};

interface Server {
  readonly version: string;
  readonly number: number;
  readonly now: number;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  readonly isMigrated: boolean;
  /** Null if the search path contains no schema. */
  readonly mayCreate: boolean | null;
  /** Null if there are no tables. */
  readonly mayWrite: boolean | null;
}

const readServer = async (reads: Sql): Promise<Server> => {
  const server = await reads.first<Server>(selectServer);
  if (!server) throw new Error('it did not report its version');
  return server;
};

const readApplied = async (reads: Sql): Promise<readonly string[]> =>
  (await reads.all<{ readonly name: string }>('select name from schema_migrations')).map(({ name }) => name);

const findReadOnlyReason = ({ isStandby, isReadOnly, isMigrated, mayCreate, mayWrite }: Server): string | null => {
  if (isStandby) return 'it is a standby server, which accepts no writes';
  if (isReadOnly) return 'its transactions are read-only (default_transaction_read_only)';
  if (isMigrated && mayWrite === false) return 'this user may not write to its tables';
  if (mayCreate !== true) return 'this user may not create tables in its schema';
  return null;
};

const selectServer = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as number,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  pg_is_in_recovery() as "isStandby",
  current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
  to_regclass('${migrationsTable}') is not null as "isMigrated",
  has_schema_privilege(current_schema(), 'create') as "mayCreate",
  has_table_privilege(to_regclass('settings')::oid, 'update') as "mayWrite"`;
