import type { DialectSql } from './migration.ts';

/**
 * Groups, what tokens say of them, requests for access, ends of grants and keys, and suspension. Processes of the version
 * before know none of it: they neither see a group's grants nor heed an end or a suspension.
 */
const tables = (text: string): readonly string[] => [
  `create table access_groups (
    id ${text} not null primary key,
    name ${text} not null,
    description ${text} not null,
    tier ${text} null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table group_members (
    profile_id ${text} not null,
    group_id ${text} not null,
    added_at bigint not null,
    primary key (profile_id, group_id),
    constraint group_members_profile_id_foreign foreign key (profile_id) references profiles (id) on update cascade on delete cascade,
    constraint group_members_group_id_foreign foreign key (group_id) references access_groups (id) on update cascade on delete cascade
  )`,
  'create index group_members_group_index on group_members (group_id)',
  `create table claimed_groups (
    profile_id ${text} not null,
    name ${text} not null,
    primary key (profile_id, name),
    constraint claimed_groups_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade
  )`,
  'create index claimed_groups_name_index on claimed_groups (name)',
  `create table group_grants (
    group_id ${text} not null,
    collection_id ${text} not null,
    granted_at bigint not null,
    expires_at bigint null,
    primary key (group_id, collection_id),
    constraint group_grants_group_id_foreign foreign key (group_id) references access_groups (id) on update cascade on delete cascade,
    constraint group_grants_collection_id_foreign foreign key (collection_id) references collections (id) on update cascade on delete cascade
  )`,
  'create index group_grants_collection_index on group_grants (collection_id)',
  'create index group_grants_expiry_index on group_grants (group_id, expires_at) where expires_at is not null',
  'create index group_grants_ends_index on group_grants (expires_at) where expires_at is not null',
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
    constraint access_requests_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade,
    constraint access_requests_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`,
  `create unique index access_requests_pending_unique on access_requests (collection_id, profile_id) where status = 'pending'`,
  'create index access_requests_profile_index on access_requests (profile_id, created_at)',
  'create index access_requests_status_index on access_requests (status, created_at)',
  'create index access_requests_collection_index on access_requests (collection_id)',
];

/** Last, because every request reads these rows, and waits from here on for the rest of the migration. */
const columns = (text: string): readonly string[] => [
  'alter table collections add column discoverable boolean not null default false',
  `alter table jobs add column request_id ${text} null`,
  'alter table grants add column expires_at bigint null',
  'create index grants_expiry_index on grants (profile_id, expires_at) where expires_at is not null',
  'create index grants_ends_index on grants (expires_at) where expires_at is not null',
  'alter table profiles add column suspended_at bigint null',
  'alter table profiles add column key_expires_at bigint null',
  'create index profiles_key_ends_index on profiles (key_expires_at) where key_expires_at is not null',
  `alter table profiles add column claimed_groups ${text} null`,
  'alter table profiles add column claims_issued_at bigint null',
  'alter table profiles add column claims_seen_at bigint null',
  'alter table profiles add column in_groups boolean not null default false',
  'alter table epochs add column groups bigint not null default 0',
];

export const organisation: DialectSql = {
  sqlite: [
    ...tables('text'),
    'create unique index access_groups_name_unique on access_groups (name)',
    ...columns('text'),
  ],
  postgresql: [
    // As changes do: a foreign key locks the tables that it refers to.
    'select pg_advisory_xact_lock(1886351988, 1)',
    ...tables('text collate "C"'),
    'alter table access_groups add constraint access_groups_name_unique unique (name)',
    ...columns('text collate "C"'),
  ],
};
