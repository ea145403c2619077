import { startPostgres } from '@portico/test-servers';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import { openSqlStores, type SqlStores } from '../src/index.ts';

/** A server for one test file; null if none is available. */
export const postgres = await startPostgres();
afterAll(async () => {
  await shared?.opened.close();
  await shared?.client.end();
  await postgres?.close();
});

/** The address of a new database without tables. */
export const newDatabase = async (): Promise<string> => {
  if (!postgres) throw new Error('PostgreSQL is not available.');
  return postgres.newDatabase();
};

/** Runs work on the database as another program would. */
export const onDatabase = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Empty stores. They are opened once per test file, and emptied for each test. */
export const withPostgresqlStores = async (work: (opened: SqlStores) => Promise<void>): Promise<void> => {
  shared ??= await openShared();
  await shared.client.query(emptyAll);
  await work(shared.opened);
};

let shared: { readonly opened: SqlStores; readonly client: Client } | null = null;

const openShared = async () => {
  const url = await newDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  return { opened: await openSqlStores({ kind: 'postgresql', url }), client };
};

/** Faster for few rows than `truncate`, which creates new files. */
const emptyAll = `
  delete from profiles; delete from collections; delete from access_groups; delete from tiers; delete from jobs;
  delete from reindex_runs; delete from settings; delete from audit_entries; delete from audit_days;
  update audit_totals set entries = 0; update epochs set catalog = 0, embeddings = 0, groups = 0, search_model = null;
  delete from search_models; delete from service_accounts;
  alter sequence overrides_id_seq restart; alter sequence audit_entries_seq_seq restart`;
