import type { DialectSql } from './migration.ts';

/**
 * A collection gets an embedding for each model, and the database says which model searches use. Processes of the
 * version before, which may run beside this one, know one embedding of each collection, in `embeddings`. So that table
 * stays, and triggers keep both in step: what that version writes is copied to `collection_embeddings`, and what this
 * one writes for a model of that version (`first_seen_at = 0`) is copied back. A copy has the sequence of its original,
 * and is not copied again. The triggers go with the table, in a later migration.
 */
const columns = 'collection_id, model_id, content_revision, sequence, vector';
const newColumns = columns.replaceAll(/\w+/g, 'new.$&');
const updated = (names: readonly string[]) => names.map((name) => `${name} = excluded.${name}`).join(', ');

const copyForth = `insert into collection_embeddings (${columns}) values (${newColumns})
  on conflict (collection_id, model_id) do update set ${updated(['content_revision', 'sequence', 'vector'])}`;
const copyBack = `insert into embeddings (${columns}) values (${newColumns})
  on conflict (collection_id) do update set ${updated(['model_id', 'content_revision', 'sequence', 'vector'])}`;
const isCopiedForth = `exists (select 1 from collection_embeddings c where c.collection_id = new.collection_id
  and c.model_id = new.model_id and c.sequence = new.sequence)`;
const isCopiedBack = `exists (select 1 from embeddings e where e.collection_id = new.collection_id
  and e.sequence = new.sequence)`;
const isOfVersionBefore = (row: 'new' | 'old') =>
  `exists (select 1 from search_models m where m.model_id = ${row}.model_id and m.first_seen_at = 0)`;
/** A model of the version before is in use as long as that version writes. */
const announce = (now: string) => `insert into search_models (model_id, first_seen_at, last_seen_at)
  values (new.model_id, 0, ${now})
  on conflict (model_id) do update set first_seen_at = 0, last_seen_at = excluded.last_seen_at`;
const removeBack = 'delete from embeddings where collection_id = old.collection_id and model_id = old.model_id';

const copyAll = `insert into collection_embeddings (${columns}) select ${columns} from embeddings`;
const recordAll = (now: string) => `insert into search_models (model_id, first_seen_at, last_seen_at)
  select model_id, 0, ${now} from embeddings group by model_id`;
/** The model of most embeddings; the others are from before a change of model that was not finished. */
const serveMost = `update epochs set search_model =
  (select model_id from embeddings group by model_id order by count(*) desc, model_id limit 1)`;

const nowOnSqlite = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
const sqliteTrigger = (name: string, event: string, condition: string, ...statements: readonly string[]) =>
  `create trigger ${name} after ${event} for each row when ${condition} begin
    ${statements.join(';\n')}; end`;

const sqlite = [
  `create table collection_embeddings (
    collection_id text not null,
    model_id text not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector blob not null,
    primary key (collection_id, model_id),
    constraint collection_embeddings_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
  `create unique index collection_embeddings_sequence_unique on collection_embeddings (model_id, sequence)`,
  `create index collection_embeddings_model_index on collection_embeddings (model_id, collection_id, content_revision)`,
  `create table search_models (
    model_id text not null primary key,
    first_seen_at bigint not null,
    last_seen_at bigint not null
  )`,
  `alter table epochs add column search_model text null`,
  copyAll,
  recordAll(nowOnSqlite),
  serveMost,
  ...['insert', 'update'].flatMap((event) => [
    sqliteTrigger(
      `embeddings_${event}_forth`,
      `${event} on embeddings`,
      `not ${isCopiedForth}`,
      announce(nowOnSqlite),
      copyForth,
    ),
    sqliteTrigger(
      `collection_embeddings_${event}_back`,
      `${event} on collection_embeddings`,
      `${isOfVersionBefore('new')} and not ${isCopiedBack}`,
      copyBack,
    ),
  ]),
  sqliteTrigger(
    'collection_embeddings_delete_back',
    'delete on collection_embeddings',
    isOfVersionBefore('old'),
    removeBack,
  ),
];

const nowOnPostgresql = `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
const text = 'text collate "C"';
const postgresqlFunction = (name: string, condition: string, ...statements: readonly string[]) =>
  `create function ${name}() returns trigger language plpgsql as $body$
  begin
    if ${condition} then
      ${statements.join(';\n')};
    end if;
    return null;
  end $body$`;

const postgresql = [
  // As changes do: none of them is under way, so none can be in each other's way.
  `select pg_advisory_xact_lock(1886351988, 1)`,
  `create table collection_embeddings (
    collection_id ${text} not null,
    model_id ${text} not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector bytea not null,
    primary key (collection_id, model_id),
    constraint collection_embeddings_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
  `alter table collection_embeddings alter column vector set storage external`,
  `create table search_models (
    model_id ${text} not null primary key,
    first_seen_at bigint not null,
    last_seen_at bigint not null
  )`,
  copyAll,
  `alter table collection_embeddings add constraint collection_embeddings_sequence_unique unique (model_id, sequence)`,
  `create index collection_embeddings_model_index on collection_embeddings (model_id, collection_id, content_revision)`,
  recordAll(nowOnPostgresql),
  postgresqlFunction('copy_embedding_forth', `not ${isCopiedForth}`, announce(nowOnPostgresql), copyForth),
  postgresqlFunction('copy_embedding_back', `${isOfVersionBefore('new')} and not ${isCopiedBack}`, copyBack),
  postgresqlFunction('remove_embedding_back', isOfVersionBefore('old'), removeBack),
  `create trigger embeddings_forth after insert or update on embeddings
    for each row execute function copy_embedding_forth()`,
  `create trigger collection_embeddings_back after insert or update on collection_embeddings
    for each row execute function copy_embedding_back()`,
  `create trigger collection_embeddings_delete_back after delete on collection_embeddings
    for each row execute function remove_embedding_back()`,
  // Last, because every request reads this row and waits for the rest of the migration from here on.
  `alter table epochs add column search_model ${text} null`,
  serveMost,
];

export const searchModels: DialectSql = { sqlite, postgresql };
