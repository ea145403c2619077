import type { DialectSql } from './migration.ts';

const firstRows = [
  `insert into epochs (id, catalog, embeddings) values (1, 0, 0)`,
  `insert into audit_totals (scope, entries) values ('client', 0), ('system', 0), ('all', 0)`,
];

const sqlite = [
  `create table audit_days (
    scope text not null,
    day integer not null,
    entries bigint not null,
    primary key (scope, day)
  )`,
  `create table audit_entries (
    seq integer not null primary key autoincrement,
    id text not null,
    source text not null,
    actor_id text null,
    message text not null,
    timestamp text not null,
    instant bigint not null,
    received_at bigint not null,
    client_id text null,
    collection_id text null,
    action text null
  )`,
  `create index audit_entries_instant_index on audit_entries (instant, seq)`,
  `create index audit_entries_source_index on audit_entries (source, instant, seq)`,
  `create index audit_entries_received_index on audit_entries (received_at, seq)`,
  `create index audit_entries_actor_index on audit_entries (actor_id, instant, seq) where actor_id is not null`,
  `create index audit_entries_client_index on audit_entries (client_id, instant, seq) where client_id is not null`,
  `create index audit_entries_collection_index on audit_entries (collection_id, instant, seq) where collection_id is not null`,
  `create index audit_entries_action_index on audit_entries (action, instant, seq) where action is not null`,
  `create table audit_totals (
    scope text not null primary key,
    entries bigint not null
  )`,
  `create table collections (
    id text not null primary key,
    name text not null,
    name_key text not null,
    description text not null,
    created_by text not null,
    created_at bigint not null,
    updated_at bigint not null,
    revision bigint not null,
    content_revision bigint not null,
    base_url text not null,
    derived_type text not null,
    derived_name text null,
    derived_in text null,
    stored_type text null,
    stored_name text null,
    stored_in text null,
    stored_sealed_value text null,
    document_digest text not null,
    import_key text null
  )`,
  `create unique index collections_import_key_unique on collections (import_key)`,
  `create index collections_name_key_index on collections (name_key, id)`,
  `create table documents (
    collection_id text not null primary key,
    deflated blob not null,
    crc32 bigint not null,
    bytes bigint not null,
    constraint documents_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  `create table embeddings (
    collection_id text not null primary key,
    model_id text not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector blob not null,
    constraint embeddings_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  `create unique index embeddings_sequence_unique on embeddings (sequence)`,
  `create table epochs (
    id integer not null primary key,
    catalog bigint not null,
    embeddings bigint not null
  )`,
  `create table jobs (
    id text not null primary key,
    kind text not null,
    profile_id text null,
    collection_id text null,
    sealed text null,
    reason text null,
    job_group text null,
    due_at bigint not null,
    attempts integer not null default 0,
    leased_until bigint null,
    given_up integer not null default false,
    error text null
  )`,
  `create index jobs_profile_index on jobs (profile_id)`,
  `create index jobs_group_index on jobs (job_group)`,
  `create index jobs_due_index on jobs (due_at, id) where given_up = false`,
  `create table profiles (
    id text not null primary key,
    email text not null,
    full_name text not null,
    company_name text null,
    role text not null,
    status text not null,
    uid text not null,
    bound integer not null,
    client_id text null,
    tier text null,
    created_at bigint not null,
    updated_at bigint not null,
    approved_at bigint null,
    key_hash text null,
    key_tag bigint null,
    previous_hash text null,
    previous_tag bigint null,
    previous_until bigint null,
    grants_epoch bigint not null
  )`,
  `create unique index profiles_email_unique on profiles (email)`,
  `create unique index profiles_uid_unique on profiles (uid)`,
  `create unique index profiles_client_id_unique on profiles (client_id)`,
  `create index profiles_role_index on profiles (role)`,
  `create index profiles_created_at_index on profiles (created_at, id)`,
  `create table overrides (
    id integer not null primary key autoincrement,
    profile_id text not null,
    client_id text not null,
    allowed bigint not null,
    window_seconds bigint not null,
    is_active integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint overrides_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade
  )`,
  `create index overrides_profile_index on overrides (profile_id)`,
  `create unique index overrides_active_unique on overrides (profile_id) where is_active = true`,
  `create table grants (
    profile_id text not null,
    collection_id text not null,
    granted_at bigint not null,
    primary key (profile_id, collection_id),
    constraint grants_profile_id_foreign foreign key (profile_id) references profiles (id) on update cascade on delete cascade,
    constraint grants_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  `create index grants_collection_index on grants (collection_id)`,
  `create table reindex_runs (
    seq integer not null primary key autoincrement,
    id text not null,
    total bigint not null,
    started_at bigint not null
  )`,
  `create table settings (
    name text not null primary key,
    value text not null
  )`,
  `create table tiers (
    tier text not null primary key,
    allowed bigint not null,
    window_seconds bigint not null,
    description text null,
    is_active integer not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  ...firstRows,
];

/** Text is compared by code points, regardless of the database's locale. */
const text = 'text collate "C"';

const postgresql = [
  `create table audit_days (
    scope ${text} not null,
    day int not null,
    entries bigint not null,
    primary key (scope, day)
  )`,
  `create table audit_entries (
    seq bigserial primary key,
    id ${text} not null,
    source ${text} not null,
    actor_id ${text} null,
    message ${text} not null,
    timestamp ${text} not null,
    instant double precision not null,
    received_at bigint not null,
    client_id ${text} null,
    collection_id ${text} null,
    action ${text} null
  )`,
  `create index audit_entries_instant_index on audit_entries (instant, seq)`,
  `create index audit_entries_source_index on audit_entries (source, instant, seq)`,
  `create index audit_entries_received_index on audit_entries (received_at, seq)`,
  `create index audit_entries_actor_index on audit_entries (actor_id, instant, seq) where actor_id is not null`,
  `create index audit_entries_client_index on audit_entries (client_id, instant, seq) where client_id is not null`,
  `create index audit_entries_collection_index on audit_entries (collection_id, instant, seq) where collection_id is not null`,
  `create index audit_entries_action_index on audit_entries (action, instant, seq) where action is not null`,
  `create table audit_totals (
    scope ${text} not null primary key,
    entries bigint not null
  )`,
  `create table collections (
    id ${text} not null primary key,
    name ${text} not null,
    name_key ${text} not null,
    description ${text} not null,
    created_by ${text} not null,
    created_at bigint not null,
    updated_at bigint not null,
    revision bigint not null,
    content_revision bigint not null,
    base_url ${text} not null,
    derived_type ${text} not null,
    derived_name ${text} null,
    derived_in ${text} null,
    stored_type ${text} null,
    stored_name ${text} null,
    stored_in ${text} null,
    stored_sealed_value ${text} null,
    document_digest ${text} not null,
    import_key ${text} null
  )`,
  `alter table collections add constraint collections_import_key_unique unique (import_key)`,
  `create index collections_name_key_index on collections (name_key, id)`,
  `create table documents (
    collection_id ${text} not null primary key,
    deflated bytea not null,
    crc32 bigint not null,
    bytes bigint not null,
    constraint documents_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  // Documents are already compressed: compressing them again would be useless.
  `alter table documents alter column deflated set storage external`,
  `create table embeddings (
    collection_id ${text} not null primary key,
    model_id ${text} not null,
    content_revision bigint not null,
    sequence bigint not null,
    vector bytea not null,
    constraint embeddings_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  `alter table embeddings alter column vector set storage external`,
  `alter table embeddings add constraint embeddings_sequence_unique unique (sequence)`,
  `create table epochs (
    id int not null primary key,
    catalog bigint not null,
    embeddings bigint not null
  )`,
  `create table jobs (
    id ${text} not null primary key,
    kind ${text} not null,
    profile_id ${text} null,
    collection_id ${text} null,
    sealed ${text} null,
    reason ${text} null,
    job_group ${text} null,
    due_at bigint not null,
    attempts int not null default 0,
    leased_until bigint null,
    given_up boolean not null default false,
    error ${text} null
  )`,
  `create index jobs_profile_index on jobs (profile_id)`,
  `create index jobs_group_index on jobs (job_group)`,
  `create index jobs_due_index on jobs (due_at, id) where given_up = false`,
  `create table profiles (
    id ${text} not null primary key,
    email ${text} not null,
    full_name ${text} not null,
    company_name ${text} null,
    role ${text} not null,
    status ${text} not null,
    uid ${text} not null,
    bound boolean not null,
    client_id ${text} null,
    tier ${text} null,
    created_at bigint not null,
    updated_at bigint not null,
    approved_at bigint null,
    key_hash ${text} null,
    key_tag bigint null,
    previous_hash ${text} null,
    previous_tag bigint null,
    previous_until bigint null,
    grants_epoch bigint not null
  )`,
  `alter table profiles add constraint profiles_email_unique unique (email)`,
  `alter table profiles add constraint profiles_uid_unique unique (uid)`,
  `alter table profiles add constraint profiles_client_id_unique unique (client_id)`,
  `create index profiles_role_index on profiles (role)`,
  `create index profiles_created_at_index on profiles (created_at, id)`,
  `create table overrides (
    id bigserial primary key,
    profile_id ${text} not null,
    client_id ${text} not null,
    allowed bigint not null,
    window_seconds bigint not null,
    is_active boolean not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint overrides_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade
  )`,
  `create index overrides_profile_index on overrides (profile_id)`,
  `create unique index overrides_active_unique on overrides (profile_id) where is_active = true`,
  `create table grants (
    profile_id ${text} not null,
    collection_id ${text} not null,
    granted_at bigint not null,
    primary key (profile_id, collection_id),
    constraint grants_profile_id_foreign foreign key (profile_id) references profiles (id) on update cascade on delete cascade,
    constraint grants_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  `create index grants_collection_index on grants (collection_id)`,
  `create table reindex_runs (
    seq bigserial primary key,
    id ${text} not null,
    total bigint not null,
    started_at bigint not null
  )`,
  `create table settings (
    name ${text} not null primary key,
    value ${text} not null
  )`,
  `create table tiers (
    tier ${text} not null primary key,
    allowed bigint not null,
    window_seconds bigint not null,
    description ${text} null,
    is_active boolean not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  ...firstRows,
];

export const initial: DialectSql = { sqlite, postgresql };
