import { setTimeout } from 'node:timers/promises';
import { startPostgres } from '@portico/test-servers';
import { Client } from 'pg';
import { openSqlStores, type SqlConfig, type SqlStores } from '../src/index.ts';

/**
 * A server for all test files of this process. Its watchdog stops it together with the process. Null if no server is
 * available.
 */
export const postgres = await startPostgres();

/** Returns the URL of a new database without tables, or of a copy of the named database. */
export const createDatabase = async (template?: string): Promise<string> => {
  if (!postgres) throw new Error('PostgreSQL is not available.');
  return postgres.createDatabase(template);
};

/** Fills a database once; each call returns the URL of a copy. */
export const createDatabaseTemplate = (seed: (config: SqlConfig) => Promise<void>): (() => Promise<string>) => {
  let seededUrl: Promise<string> | null = null;
  const create = async (): Promise<string> => {
    const url = await createDatabase();
    await seed({ kind: 'postgresql', url });
    await waitUntilUnused(url);
    return url;
  };
  return async () => createDatabase(await (seededUrl ??= create()));
};

/** Resolves once the server has closed all connections to a database: it copies only a database without connections. */
const waitUntilUnused = async (url: string): Promise<void> => {
  const name = new URL(url).pathname.slice(1);
  const connections = () =>
    runOnDatabase(postgres?.url ?? '', (client) =>
      client.query('select pid from pg_stat_activity where datname = $1', [name]),
    );
  while ((await connections()).rows.length > 0) await setTimeout(20);
};

/** Returns the URL of a new database with all tables. */
export const createMigratedDatabase = createDatabaseTemplate(async (config) => (await openSqlStores(config)).close());

/** Runs work on the database as another program would. */
export const runOnDatabase = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Runs work on empty stores, which are opened once per process and emptied for each test. */
export const withPostgresqlStores = async (work: (sqlStores: SqlStores) => Promise<void>): Promise<void> => {
  sharedStores ??= await openSharedStores();
  await sharedStores.client.query(deleteAllRows);
  await work(sharedStores.sqlStores);
};

let sharedStores: { readonly sqlStores: SqlStores; readonly client: Client } | null = null;

const openSharedStores = async () => {
  const url = await createMigratedDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  return { sqlStores: await openSqlStores({ kind: 'postgresql', url }), client };
};

/** Empties the database. For few rows, this is faster than `truncate`, which creates new files. */
const deleteAllRows = `
  delete from profiles; delete from collections; delete from access_groups; delete from tiers; delete from jobs;
  delete from reindex_runs; delete from settings; delete from audit_entries; delete from audit_days;
  update audit_totals set entries = 0; update epochs set catalog = 0, embeddings = 0, groups = 0, search_model = null;
  delete from search_models; delete from service_accounts; delete from webhooks;
  alter sequence overrides_id_seq restart; alter sequence audit_entries_seq_seq restart`;
