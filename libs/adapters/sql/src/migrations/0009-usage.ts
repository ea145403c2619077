import type { Dialect, DialectSql } from './migration.ts';

const textOn = { sqlite: 'text', postgresql: 'text collate "C"' } as const;

const tableOn = (dialect: Dialect): string => {
  const text = textOn[dialect];
  return `create table usage_days (
    day ${dialect === 'sqlite' ? 'integer' : 'int'} not null,
    profile_id ${text} not null,
    subject ${text} not null,
    collection_id ${text} null,
    reads bigint not null,
    searches bigint not null,
    slices bigint not null,
    credential_reads bigint not null,
    last_used_at bigint not null,
    key_used_at bigint null,
    primary key (day, profile_id, subject),
    constraint usage_days_profile_id_foreign foreign key (profile_id) references profiles (id) on delete cascade,
    constraint usage_days_collection_id_foreign foreign key (collection_id) references collections (id) on delete cascade
  )`;
};

const indexes = [
  'create index usage_days_profile_index on usage_days (profile_id, last_used_at)',
  'create index usage_days_key_index on usage_days (profile_id, key_used_at)',
  'create index usage_days_collection_index on usage_days (collection_id, last_used_at)',
];

/** A table that the version before neither reads nor writes; its rows go when that version removes what they are about. */
export const usage: DialectSql = {
  sqlite: [tableOn('sqlite'), ...indexes],
  // As changes do: a foreign key locks the tables that it refers to.
  postgresql: ['select pg_advisory_xact_lock(1886351988, 1)', tableOn('postgresql'), ...indexes],
};
