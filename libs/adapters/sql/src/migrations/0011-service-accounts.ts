import type { Dialect, DialectSql } from './migration.ts';

const textOn = { sqlite: 'text', postgresql: 'text collate "C"' } as const;

/** A table that the version before neither reads nor writes. */
const tableOn = (dialect: Dialect): string => {
  const text = textOn[dialect];
  return `create table service_accounts (
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
  )`;
};

export const serviceAccounts: DialectSql = {
  sqlite: [tableOn('sqlite'), 'create unique index service_accounts_name_key_unique on service_accounts (name_key)'],
  postgresql: [
    tableOn('postgresql'),
    'alter table service_accounts add constraint service_accounts_name_key_unique unique (name_key)',
  ],
};
