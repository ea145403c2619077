import type { DialectSql } from './migration.ts';

/**
 * Processes of release 0.1.0, which may run at the same time as this version, know only one embedding per collection,
 * in `embeddings`. Triggers keep both tables in sync: writes by 0.1.0 are copied to `collection_embeddings`, and writes
 * by this version for a model of 0.1.0 (`first_seen_at = 0`) are copied back. A copy has the same sequence number as its
 * original, and is not copied again. The table and its triggers will be removed in the release after the next.
 */
const columns = 'collection_id, model_id, content_revision, sequence, vector';
const newColumns = columns.replaceAll(/\w+/g, 'new.$&');
const buildAssignments = (names: readonly string[]) => names.map((name) => `${name} = excluded.${name}`).join(', ');

const copyToNewTable = `insert into collection_embeddings (${columns}) values (${newColumns})
  on conflict (collection_id, model_id) do update set ${buildAssignments(['content_revision', 'sequence', 'vector'])}`;
const copyToOldTable = `insert into embeddings (${columns}) values (${newColumns})
  on conflict (collection_id) do update set ${buildAssignments(['model_id', 'content_revision', 'sequence', 'vector'])}`;
const isInNewTable = `exists (select 1 from collection_embeddings c where c.collection_id = new.collection_id
  and c.model_id = new.model_id and c.sequence = new.sequence)`;
const isInOldTable = `exists (select 1 from embeddings e where e.collection_id = new.collection_id
  and e.sequence = new.sequence)`;
const isOfEarlierVersion = (row: 'new' | 'old') =>
  `exists (select 1 from search_models m where m.model_id = ${row}.model_id and m.first_seen_at = 0)`;
/** Records a model of the earlier version as in use each time that version writes. */
const announce = (now: string) => `insert into search_models (model_id, first_seen_at, last_seen_at)
  values (new.model_id, 0, ${now})
  on conflict (model_id) do update set first_seen_at = 0, last_seen_at = excluded.last_seen_at`;
const removeFromOldTable = 'delete from embeddings where collection_id = old.collection_id and model_id = old.model_id';

export const nowOnSqlite = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
const buildSqliteTrigger = (name: string, event: string, condition: string, ...statements: readonly string[]) =>
  `create trigger ${name} after ${event} for each row when ${condition} begin
    ${statements.join(';\n')}; end`;

const sqlite = [
  ...['insert', 'update'].flatMap((event) => [
    buildSqliteTrigger(
      `embeddings_${event}_forth`,
      `${event} on embeddings`,
      `not ${isInNewTable}`,
      announce(nowOnSqlite),
      copyToNewTable,
    ),
    buildSqliteTrigger(
      `collection_embeddings_${event}_back`,
      `${event} on collection_embeddings`,
      `${isOfEarlierVersion('new')} and not ${isInOldTable}`,
      copyToOldTable,
    ),
  ]),
  buildSqliteTrigger(
    'collection_embeddings_delete_back',
    'delete on collection_embeddings',
    isOfEarlierVersion('old'),
    removeFromOldTable,
  ),
];

export const nowOnPostgresql = `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
const buildPostgresqlFunction = (name: string, condition: string, ...statements: readonly string[]) =>
  `create function ${name}() returns trigger language plpgsql as $body$
  begin
    if ${condition} then
      ${statements.join(';\n')};
    end if;
    return null;
  end $body$`;

const postgresql = [
  buildPostgresqlFunction('copy_embedding_forth', `not ${isInNewTable}`, announce(nowOnPostgresql), copyToNewTable),
  buildPostgresqlFunction(
    'copy_embedding_back',
    `${isOfEarlierVersion('new')} and not ${isInOldTable}`,
    copyToOldTable,
  ),
  buildPostgresqlFunction('remove_embedding_back', isOfEarlierVersion('old'), removeFromOldTable),
  `create trigger embeddings_forth after insert or update on embeddings
    for each row execute function copy_embedding_forth()`,
  `create trigger collection_embeddings_back after insert or update on collection_embeddings
    for each row execute function copy_embedding_back()`,
  `create trigger collection_embeddings_delete_back after delete on collection_embeddings
    for each row execute function remove_embedding_back()`,
];

export const embeddingsInStep: DialectSql = { sqlite, postgresql };
