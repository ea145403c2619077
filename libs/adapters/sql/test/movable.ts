import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  aCollection,
  aDocumentContent,
  createAddDecision,
  aJob,
  anEmbedding,
  anEntry,
  anOverride,
  grantToClient,
  aProfile,
  aTier,
  jobEffectsOf,
  noEffects,
} from '@portico/contracts';
import { createTemporaryFolder } from '@portico/test-servers';
import SqliteDriver from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { openSqlStores, type SqlConfig } from '../src/index.ts';
import { createDatabaseTemplate, createDatabase, runOnDatabase } from './with-postgresql.ts';
import { createFileTemplate } from './with-stores.ts';

export type Kind = SqlConfig['kind'];

/**
 * Returns the configuration of a new database: a file that does not exist yet, or a PostgreSQL database without tables.
 */
export const createDatabaseConfig = async (kind: Kind): Promise<SqlConfig> => {
  return kind === 'postgresql' ? { kind, url: await createDatabase() } : { kind, file: createFilePath() };
};

const createFilePath = (): string => join(createTemporaryFolder(onTestFinished), 'portico.sqlite');

/** Returns the configuration of a database with rows in every table. */
export const createFilledDatabase = async (kind: Kind): Promise<SqlConfig> => {
  if (kind === 'postgresql') return { kind, url: await createFilledPostgresql() };
  const file = createFilePath();
  await createFilledFile(file);
  return { kind, file };
};

/** Runs statements without parameters, as another program would; returns the rows of the last statement. */
export const runIn = async <Row = unknown>(config: SqlConfig, sql: string): Promise<readonly Row[]> => {
  if (config.kind === 'postgresql') {
    return runOnDatabase(config.url, async (client) => {
      const results: unknown = await client.query(sql);
      const lastResult = (Array.isArray(results) ? results.at(-1) : results) as { readonly rows: readonly Row[] };
      return lastResult.rows;
    });
  }
  const connection = new SqliteDriver(config.file);
  try {
    connection.pragma('foreign_keys = ON');
    if (/^\s*select/i.test(sql)) return connection.prepare<[], Row>(sql).all();
    connection.exec(sql);
    return [];
  } finally {
    connection.close();
  }
};

/** Inserts rows into every table, including values that only one of the dialects stores without conversion. */
const seedDatabase = async (config: SqlConfig): Promise<void> => {
  const { stores, settings, close } = await openSqlStores(config);
  const profiles = ['Zoë', 'ann', 'émile', '\u{1d518}na'].map((fullName) => aProfile({ fullName }));
  for (const profile of profiles) await stores.profiles.add(profile, noEffects);
  const [firstCollection, secondCollection] = [aCollection({ name: '\u{1d518}' }), aCollection({ description: '' })];
  await stores.collections.add(firstCollection, aDocumentContent(), jobEffectsOf(aJob()));
  await stores.collections.add(secondCollection, aDocumentContent(), jobEffectsOf(aJob()));
  await grantToClient(stores.grants, profiles[0]?.id ?? firstCollection.createdBy, firstCollection.id, () => ({
    ...noEffects,
    grantedAt: 5,
  }));
  await stores.limits.addTier(aTier({ isActive: false }), noEffects);
  for (const { id } of profiles) await stores.limits.addOverride(id, createAddDecision(anOverride()));
  await Promise.all(Array.from({ length: 1_100 }, () => stores.audit.append(anEntry(), null)));
  await stores.embeddings.put(anEmbedding(firstCollection));
  await settings.put('pepper', 'x');
  await close();
  await runIn(config, insertUnusualRows(config.kind, firstCollection.id, secondCollection.id, profiles[0]?.id ?? ''));
};

const createFilledPostgresql = createDatabaseTemplate(seedDatabase);
const createFilledFile = createFileTemplate(seedDatabase);

const buildRandomBytes = (kind: Kind, length: number): string =>
  kind === 'sqlite' ? `randomblob(${length})` : `decode(repeat(md5(random()::text), ${length / 16}), 'hex')`;

/**
 * Returns statements for unusual rows: the last override is removed, but its id is never reused, and the earlier
 * version's embedding differs from the one that triggers would create.
 */
const insertUnusualRows = (kind: Kind, firstId: string, secondId: string, profileId: string): string => `
  delete from overrides where id = (select max(id) from overrides);
  update audit_entries set instant = 1700000000000.25 where seq = 7;
  update collections set revision = 9007199254740993, description = 'a''b\\c \u{1f600}' where id = '${firstId}';
  update profiles set bound = true, key_tag = 4294967295, company_name = '' where id = '${profileId}';
  update documents set deflated = ${buildRandomBytes(kind, 3_000_000)}, crc32 = 4294967295;
  insert into operations (collection_id, key, position, method, path, operation_id, summary, tags, deprecated, excerpt)
    values ('${firstId}', 'k', 0, 'GET', '/', null, 'x', '[]', true, ''), ('${secondId}', 'k', 0, 'PUT', '/', 'o', null, '["a"]', false, 'y');
  insert into operation_blocks (collection_id, model_id, document_digest, content_revision, sequence, operations, packed)
    values ('${firstId}', 'm1', 'd', 1, 1, 1, ${buildRandomBytes(kind, 6_000_000)}), ('${secondId}', 'm1', 'd', 1, 2, 1, ${buildRandomBytes(kind, 1_600)});
  update collection_revisions set deflated = ${buildRandomBytes(kind, 1_600)}, crc32 = 4294967295, bytes = 9, packed_bytes = 1600, counts = '{}';
  insert into collection_revisions (collection_id, number, digest, created_at, actor_name, breaking_texts)
    values ('${firstId}', 2147483647, 'd', 5, '\u{1d518}', '["a''b"]');
  insert into search_models (model_id, first_seen_at, last_seen_at) values ('old', 0, 5);
  insert into collection_embeddings (collection_id, model_id, content_revision, sequence, vector)
    values ('${secondId}', 'old', 1, 70, ${buildRandomBytes(kind, 3_072)});
  delete from embeddings;
  insert into reindex_runs (id, total, started_at) values ('r', 1, 2);
  insert into usage_days (day, profile_id, subject, collection_id, reads, searches, slices, calls, credential_reads, refused, last_used_at, key_used_at)
    values (1, '${profileId}', '', null, 1, 2, 3, 8, 4, 7, 5, null), (1, '${profileId}', '${firstId}', '${firstId}', 1, 2, 3, 0, 4, 0, 5, 6);
  insert into operation_usage_days (day, profile_id, collection_id, operation_key, slices, calls, last_used_at)
    values (1, '${profileId}', '${firstId}', 'k', 1, 0, 9007199254740991), (1, '${profileId}', '${firstId}', 'removed', 0, 2, 3);
  insert into access_groups (id, name, description, tier, created_at, updated_at) values ('g', '\u{1d518}', '', null, 1, 2);
  insert into group_members (profile_id, group_id, added_at) values ('${profileId}', 'g', 3);
  insert into claimed_groups (profile_id, name) values ('${profileId}', '\u{1d518}');
  insert into group_grants (group_id, collection_id, granted_at, expires_at) values ('g', '${firstId}', 4, 5), ('g', '${secondId}', 4, null);
  insert into access_requests (id, profile_id, collection_id, reason, duration_days, status, created_at, decided_at, answer)
    values ('q', '${profileId}', '${secondId}', 'a''b', 7, 'pending', 6, null, null), ('r', '${profileId}', '${secondId}', '', null, 'denied', 6, 7, 'no');
  insert into service_accounts (id, name, name_key, scopes, created_at, updated_at) values ('s', 'CI', 'ci', 'catalog:read', 1, 2);
  insert into collection_credentials (id, collection_id, scheme, profile_id, kind, sealed, origins, created_at, updated_at)
    values ('c1', '${firstId}', '\u{1d518}', null, 'value', 'x', null, 1, 2),
      ('c2', '${secondId}', 'a''b', '${profileId}', 'client', 'y', '["https://a.example"]', 1, 9007199254740991);
  insert into pending_calls (id, profile_id, collection_id, operation_key, method, path, status, requested_at, expires_at, decided_at, decided_by, reason, sealed)
    values ('p', '${profileId}', '${secondId}', 'k', 'PUT', '/', 'waiting', 1, 2, null, null, null, 'x'), ('q', '${profileId}', '${firstId}', 'k', 'GET', '/', 'denied', 1, 9007199254740991, 3, 'a', 'a''b', null);
  insert into one_time_codes (digest, purpose, payload, expires_at) values ('d', 'sign-in', '{"uid":"\u{1d518}"}', 9007199254740991);
  insert into webhooks (id, url, description, events, is_active, sealed, previous_until, failing_since, created_by, created_at, updated_at)
    values ('w1', 'https://a.example/\u{1d518}', 'a''b', 'key.rotated', true, 'x', 5, null, null, 1, 2), ('w2', 'https://b.example', '', 'access.requested', false, null, null, 9007199254740991, 'a', 1, 2);
  insert into webhook_deliveries (id, webhook_id, message_id, event, attempted_at, attempt, status, error, duration_ms, next_attempt_at)
    values ('d1', 'w1', 'm', 'key.rotated', 1, 1, 204, null, 3, null), ('d2', 'w2', 'm', 'webhook.test', 1, 7, null, 'a''b', 0, 9007199254740991);
  insert into jobs (id, kind, webhook_id, event, content, due_at) values ('j', 'webhook', 'w1', 'key.rotated', '{"a":"\u{1d518}"}', 1)`;

/**
 * Returns the whole content of a database, as seen by an independent reader: rows of every table, counters and
 * triggers.
 */
export const dump = async (config: SqlConfig): Promise<Readonly<Record<string, unknown>>> =>
  config.kind === 'sqlite' ? dumpSqlite(config.file) : dumpPostgresql(config.url);

/** Excludes the instants at which the migrations ran, because they differ. */
const selectReadable = (table: string): string =>
  table === 'schema_migrations' ? `select name from ${table} order by name` : `select * from ${table}`;

const dumpSqlite = (file: string): Readonly<Record<string, unknown>> => {
  const connection = new SqliteDriver(file, { readonly: true });
  try {
    const names = connection
      .prepare<[], string>("select name from sqlite_master where type = 'table' order by name")
      .pluck()
      .all();
    const rowsOf = (name: string): readonly string[] =>
      connection
        .prepare<[], unknown[]>(selectReadable(name))
        .raw()
        .safeIntegers()
        .all()
        .map((row) => row.map((value) => `${typeof value}:${printValue(value)}`).join(' | '))
        .filter((row) => !row.includes('schema_migrations'))
        .toSorted();
    const triggers = connection
      .prepare("select name, sql from sqlite_master where type = 'trigger' order by name")
      .all();
    return { ...Object.fromEntries(names.map((name) => [name, rowsOf(name)])), triggers };
  } finally {
    connection.close();
  }
};

const printValue = (value: unknown): string =>
  value instanceof Uint8Array ? createHash('sha256').update(value).digest('hex') : String(value);

const dumpPostgresql = (url: string): Promise<Readonly<Record<string, unknown>>> =>
  runOnDatabase(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    const rowsOf = async (name: string) => {
      const { rows } = await client.query<{ row: string }>(
        `select md5(t::text) as row from (${selectReadable(name)}) t`,
      );
      return rows.map(({ row }) => row).toSorted();
    };
    const rowsByTable: Record<string, unknown> = {};
    for (const { name } of tables) rowsByTable[name] = await rowsOf(name);
    const { rows: sequences } = await client.query(
      `select sequencename, last_value from pg_sequences where sequencename not like 'schema_migrations%' order by 1`,
    );
    const { rows: triggers } = await client.query(
      'select tgname, tgenabled from pg_trigger where not tgisinternal order by 1',
    );
    return { ...rowsByTable, sequences, triggers };
  });

/** Returns a digest of a SQLite file or, on PostgreSQL, the content of the database. */
export const stateOf = async (config: SqlConfig): Promise<unknown> =>
  config.kind === 'sqlite' ? createHash('sha256').update(readFileSync(config.file)).digest('hex') : dump(config);
