import { toEmailKey } from '@portico/domain';
import { embeddingsInStep, nowOnPostgresql, nowOnSqlite } from './embeddings-in-step.ts';
import { addLifecycleColumns } from './lifecycle-columns.ts';
import type { Dialect, DialectSql, DataMigration } from './migration.ts';
import { createRevisionTables } from './revision-tables.ts';
import { createWebhookTables } from './webhook-tables.ts';

/** The dialect-specific SQL: column types and unique constraints. */
interface DialectTypes {
  readonly text: string;
  readonly int: string;
  readonly bytes: string;
  /** The instant of the migration, in milliseconds. */
  readonly now: string;
  /** The triggers for the embeddings of 0.1.0. */
  readonly triggers: readonly string[];
  readonly buildUnique: (table: string, name: string, columns: string) => string;
  /** Disables compression of a column: vectors do not compress. */
  readonly disableCompression: (table: string, column: string) => readonly string[];
}

const dialectTypes: Readonly<Record<Dialect, DialectTypes>> = {
  sqlite: {
    text: 'text',
    int: 'integer',
    bytes: 'blob',
    now: nowOnSqlite,
    triggers: embeddingsInStep.sqlite,
    buildUnique: (table, name, columns) => `create unique index ${name} on ${table} (${columns})`,
    disableCompression: () => [],
  },
  postgresql: {
    text: 'text collate "C"',
    int: 'int',
    bytes: 'bytea',
    now: nowOnPostgresql,
    triggers: embeddingsInStep.postgresql,
    buildUnique: (table, name, columns) => `alter table ${table} add constraint ${name} unique (${columns})`,
    disableCompression: (table, column) => [`alter table ${table} alter column ${column} set storage external`],
  },
};

const buildReference = (table: string, column: string, target: string, onUpdate = ''): string =>
  `constraint ${table}_${column}_foreign foreign key (${column}) references ${target} (id)${onUpdate} on delete cascade`;
const onUpdate = ' on update cascade';

/**
 * Stores vectors per model. Searches use the model with the most embeddings; those of other models come from an
 * unfinished change of model.
 */
const createEmbeddingTables = ({
  text,
  bytes,
  now,
  triggers,
  buildUnique,
  disableCompression,
}: DialectTypes): readonly string[] => [
  `create table collection_embeddings (
    collection_id ${text} not null,
    model_id ${text} not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector ${bytes} not null,
    primary key (collection_id, model_id),
    ${buildReference('collection_embeddings', 'collection_id', 'collections')}
  )`,
  ...disableCompression('collection_embeddings', 'vector'),
  `create table search_models (
    model_id ${text} not null primary key,
    first_seen_at bigint not null,
    last_seen_at bigint not null
  )`,
  `insert into collection_embeddings (collection_id, model_id, content_revision, sequence, vector)
    select collection_id, model_id, content_revision, sequence, vector from embeddings`,
  buildUnique('collection_embeddings', 'collection_embeddings_sequence_unique', 'model_id, sequence'),
  `create index collection_embeddings_model_index on collection_embeddings (model_id, collection_id, content_revision)`,
  `insert into search_models (model_id, first_seen_at, last_seen_at)
    select model_id, 0, ${now} from embeddings group by model_id`,
  ...triggers,
];

/** Stores the operations of documents, and their vectors. Existing collections have none until jobs have read them. */
const createOperationTables = ({ text, bytes, buildUnique, disableCompression }: DialectTypes): readonly string[] => [
  `create table operations (
    collection_id ${text} not null,
    key ${text} not null,
    position bigint not null,
    method ${text} not null,
    path ${text} not null,
    operation_id ${text} null,
    summary ${text} null,
    tags ${text} not null,
    deprecated boolean not null,
    excerpt ${text} not null,
    primary key (collection_id, key),
    ${buildReference('operations', 'collection_id', 'collections')}
  )`,
  'create index operations_position_index on operations (collection_id, position)',
  `create table operation_blocks (
    collection_id ${text} not null,
    model_id ${text} not null,
    document_digest ${text} not null,
    content_revision bigint not null,
    sequence bigint not null,
    operations bigint not null,
    packed ${bytes} not null,
    primary key (collection_id, model_id),
    ${buildReference('operation_blocks', 'collection_id', 'collections')}
  )`,
  buildUnique('operation_blocks', 'operation_blocks_sequence_unique', 'model_id, sequence'),
  ...disableCompression('operation_blocks', 'packed'),
];

const createUsageTables = ({ text, int }: DialectTypes): readonly string[] => [
  `create table usage_days (
    day ${int} not null,
    profile_id ${text} not null,
    subject ${text} not null,
    collection_id ${text} null,
    reads bigint not null,
    searches bigint not null,
    slices bigint not null,
    calls bigint not null default 0,
    credential_reads bigint not null,
    last_used_at bigint not null,
    key_used_at bigint null,
    refused bigint not null default 0,
    primary key (day, profile_id, subject),
    ${buildReference('usage_days', 'profile_id', 'profiles')},
    ${buildReference('usage_days', 'collection_id', 'collections')}
  )`,
  'create index usage_days_profile_index on usage_days (profile_id, last_used_at)',
  'create index usage_days_key_index on usage_days (profile_id, key_used_at)',
  'create index usage_days_collection_index on usage_days (collection_id, last_used_at)',
  `create table operation_usage_days (
    day ${int} not null,
    profile_id ${text} not null,
    collection_id ${text} not null,
    operation_key ${text} not null,
    slices bigint not null,
    calls bigint not null,
    last_used_at bigint not null,
    primary key (day, profile_id, collection_id, operation_key),
    ${buildReference('operation_usage_days', 'profile_id', 'profiles')},
    ${buildReference('operation_usage_days', 'collection_id', 'collections')}
  )`,
  'create index operation_usage_days_profile_index on operation_usage_days (profile_id, day)',
  `create index operation_usage_days_operation_index
    on operation_usage_days (collection_id, operation_key, last_used_at)`,
];

const createGroupTables = ({ text, buildUnique }: DialectTypes): readonly string[] => [
  `create table access_groups (
    id ${text} not null primary key,
    name ${text} not null,
    description ${text} not null,
    tier ${text} null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  buildUnique('access_groups', 'access_groups_name_unique', 'name'),
  `create table group_members (
    profile_id ${text} not null,
    group_id ${text} not null,
    added_at bigint not null,
    primary key (profile_id, group_id),
    ${buildReference('group_members', 'profile_id', 'profiles', onUpdate)},
    ${buildReference('group_members', 'group_id', 'access_groups', onUpdate)}
  )`,
  'create index group_members_group_index on group_members (group_id)',
  `create table claimed_groups (
    profile_id ${text} not null,
    name ${text} not null,
    primary key (profile_id, name),
    ${buildReference('claimed_groups', 'profile_id', 'profiles')}
  )`,
  'create index claimed_groups_name_index on claimed_groups (name)',
  `create table group_grants (
    group_id ${text} not null,
    collection_id ${text} not null,
    granted_at bigint not null,
    expires_at bigint null,
    rule ${text} null,
    primary key (group_id, collection_id),
    ${buildReference('group_grants', 'group_id', 'access_groups', onUpdate)},
    ${buildReference('group_grants', 'collection_id', 'collections', onUpdate)}
  )`,
  'create index group_grants_collection_index on group_grants (collection_id)',
  'create index group_grants_expiry_index on group_grants (group_id, expires_at) where expires_at is not null',
  'create index group_grants_ends_index on group_grants (expires_at) where expires_at is not null',
];

const createRequestTables = ({ text }: DialectTypes): readonly string[] => [
  `create table access_requests (
    id ${text} not null primary key,
    profile_id ${text} not null,
    collection_id ${text} not null,
    reason ${text} not null,
    duration_days bigint null,
    status ${text} not null,
    created_at bigint not null,
    decided_at bigint null,
    answer ${text} null,
    ${buildReference('access_requests', 'profile_id', 'profiles')},
    ${buildReference('access_requests', 'collection_id', 'collections')}
  )`,
  `create unique index access_requests_pending_unique on access_requests (collection_id, profile_id) where status = 'pending'`,
  'create index access_requests_profile_index on access_requests (profile_id, created_at)',
  'create index access_requests_status_index on access_requests (status, created_at)',
  'create index access_requests_collection_index on access_requests (collection_id)',
];

/** Stores calls that need a decision, with their sealed arguments. */
const createCallTables = ({ text }: DialectTypes): readonly string[] => [
  `create table pending_calls (
    id ${text} not null primary key,
    profile_id ${text} not null,
    collection_id ${text} not null,
    operation_key ${text} not null,
    method ${text} not null,
    path ${text} not null,
    status ${text} not null,
    requested_at bigint not null,
    expires_at bigint not null,
    decided_at bigint null,
    decided_by ${text} null,
    reason ${text} null,
    sealed ${text} null,
    ${buildReference('pending_calls', 'profile_id', 'profiles')},
    ${buildReference('pending_calls', 'collection_id', 'collections')}
  )`,
  'create index pending_calls_collection_index on pending_calls (collection_id)',
  'create index pending_calls_requested_index on pending_calls (requested_at)',
  'create index pending_calls_profile_index on pending_calls (profile_id, requested_at)',
  'create index pending_calls_status_index on pending_calls (status, expires_at)',
];

const createAccountTables = ({ text, buildUnique }: DialectTypes): readonly string[] => [
  `create table service_accounts (
    id ${text} not null primary key,
    name ${text} not null,
    name_key ${text} not null,
    scopes ${text} not null,
    expires_at bigint null,
    created_by ${text} null,
    created_at bigint not null,
    updated_at bigint not null,
    key_hash ${text} null,
    key_tag bigint null,
    previous_hash ${text} null,
    previous_tag bigint null,
    previous_until bigint null
  )`,
  buildUnique('service_accounts', 'service_accounts_name_key_unique', 'name_key'),
  `create table one_time_codes (
    digest ${text} not null primary key,
    purpose ${text} not null,
    payload ${text} not null,
    expires_at bigint not null
  )`,
  'create index one_time_codes_expires_at_index on one_time_codes (expires_at)',
];

/** Stores credentials for the security schemes of a document: for everyone, for a group, or for a profile. */
const createCredentialTables = ({ text, buildUnique }: DialectTypes): readonly string[] => [
  `create table collection_credentials (
    id ${text} not null primary key,
    collection_id ${text} not null,
    scheme ${text} not null,
    group_id ${text} null,
    profile_id ${text} null,
    kind ${text} not null,
    sealed ${text} not null,
    origins ${text} null,
    created_at bigint not null,
    updated_at bigint not null,
    ${buildReference('collection_credentials', 'collection_id', 'collections')},
    ${buildReference('collection_credentials', 'group_id', 'access_groups')},
    ${buildReference('collection_credentials', 'profile_id', 'profiles')}
  )`,
  'create index collection_credentials_collection_index on collection_credentials (collection_id, scheme)',
  `create unique index collection_credentials_everyone_unique on collection_credentials (collection_id, scheme)
    where group_id is null and profile_id is null`,
  ...['group', 'profile'].map((subject) =>
    buildUnique(
      'collection_credentials',
      `collection_credentials_${subject}_unique`,
      `${subject}_id, collection_id, scheme`,
    ),
  ),
];

const facets = { actor: 'actor_id', client: 'client_id', collection: 'collection_id', action: 'action' };

/** The indexes for filters include the source of each entry, so that counting reads no rows. */
const auditIndexes = Object.entries(facets).flatMap(([name, column]) => [
  `drop index audit_entries_${name}_index`,
  `create index audit_entries_${name}_index on audit_entries (${column}, instant, seq, source) where ${column} is not null`,
]);

/** Runs last, because every request reads these rows, and from then on waits for the rest of the migration. */
const addColumns = ({ text, bytes, buildUnique }: DialectTypes): readonly string[] => [
  `alter table epochs add column search_model ${text} null`,
  `update epochs set search_model =
    (select model_id from embeddings group by model_id order by count(*) desc, model_id limit 1)`,
  'alter table epochs add column operations bigint not null default 0',
  'alter table epochs add column groups bigint not null default 0',
  'alter table collections add column description_derived boolean not null default false',
  // These were imported from a document without a description: the next import, or the next change of the document,
  // derives one.
  "update collections set description_derived = true where description = '' and import_key is not null",
  `alter table collections add column operations_digest ${text} null`,
  'alter table collections add column discoverable boolean not null default false',
  `alter table collections add column base_url_setting ${text} null`,
  `alter table collections add column server_variables ${text} not null default '{}'`,
  `alter table collections add column credential_schemes ${text} not null default '[]'`,
  `alter table collections add column delivery ${text} not null default 'reveal'`,
  'alter table collections add column own_credentials boolean not null default false',
  `alter table collections add column stored_origins ${text} null`,
  `alter table collections add column original_version ${text} null`,
  `alter table collections add column original_digest ${text} null`,
  `alter table collections add column original_for ${text} null`,
  ...addLifecycleColumns(text),
  `alter table documents add column original_deflated ${bytes} null`,
  'alter table documents add column original_crc32 bigint null',
  'alter table documents add column original_bytes bigint null',
  `alter table jobs add column request_id ${text} null`,
  `alter table jobs add column call_id ${text} null`,
  `alter table jobs add column webhook_id ${text} null`,
  `alter table jobs add column event ${text} null`,
  `alter table jobs add column content ${text} null`,
  'alter table grants add column expires_at bigint null',
  `alter table grants add column rule ${text} null`,
  'create index grants_expiry_index on grants (profile_id, expires_at) where expires_at is not null',
  'create index grants_ends_index on grants (expires_at) where expires_at is not null',
  'alter table profiles add column suspended_at bigint null',
  'alter table profiles add column key_expires_at bigint null',
  'create index profiles_key_ends_index on profiles (key_expires_at) where key_expires_at is not null',
  `alter table profiles add column claimed_groups ${text} null`,
  'alter table profiles add column claims_issued_at bigint null',
  'alter table profiles add column claims_seen_at bigint null',
  'alter table profiles add column in_groups boolean not null default false',
  `alter table profiles add column email_key ${text} null`,
  buildUnique('profiles', 'profiles_email_key_unique', 'email_key'),
];

const buildStatements = (dialect: Dialect): readonly string[] =>
  [
    createEmbeddingTables,
    createOperationTables,
    createRevisionTables,
    createUsageTables,
    createGroupTables,
    createRequestTables,
    createCallTables,
    createAccountTables,
    createCredentialTables,
    ({ text }: DialectTypes) => createWebhookTables(text, buildReference),
    () => auditIndexes,
    addColumns,
  ].flatMap((createStatements) => createStatements(dialectTypes[dialect]));

/** The migration from release 0.1.0, whose last migration is 0005, to the next release. */
export const since010: DialectSql = {
  sqlite: buildStatements('sqlite'),
  // Takes the same lock as `transact`, so that no change is in flight and neither can block the other.
  postgresql: ['select pg_advisory_xact_lock(1886351988, 1)', ...buildStatements('postgresql')],
};

const nonAscii: Readonly<Record<Dialect, (column: string) => string>> = {
  sqlite: (column) => `${column} glob '*[^ -~]*'`,
  postgresql: (column) => `${column} ~ '[^ -~]'`,
};

/**
 * Sets the keys used to compare email addresses; a second profile with the same mailbox gets none. Composes the names
 * of collections (NFC), as is done for new names.
 */
export const migrateDataSince010: DataMigration = async (execute, dialect) => {
  const isNonAscii = nonAscii[dialect];
  await execute(`update profiles set email_key = email where not (${isNonAscii('email')})`);
  const emails = `select id, email from profiles where ${isNonAscii('email')} order by created_at, id`;
  for (const { id, email } of await execute(emails)) {
    const key = toEmailKey(String(email));
    const isFree = 'not exists (select 1 from profiles p where p.email_key = ?)';
    await execute(`update profiles set email_key = ? where id = ? and ${isFree}`, [key, id, key]);
  }
  const names = `select distinct name from collections where ${isNonAscii('name')}`;
  for (const { name } of await execute(names)) {
    const composedName = String(name).normalize('NFC');
    const updateName = 'update collections set revision = revision + 1, name = ? where name = ?';
    if (composedName !== name) await execute(updateName, [composedName, name]);
  }
};
