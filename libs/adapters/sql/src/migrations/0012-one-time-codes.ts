import type { Dialect, DialectSql } from './migration.ts';

const textOn = { sqlite: 'text', postgresql: 'text collate "C"' } as const;

/** A table that the version before neither reads nor writes. */
const tableOn = (dialect: Dialect): string => {
  const text = textOn[dialect];
  return `create table one_time_codes (
    digest ${text} not null primary key,
    purpose ${text} not null,
    payload ${text} not null,
    expires_at bigint not null
  )`;
};

const index = 'create index one_time_codes_expires_at_index on one_time_codes (expires_at)';

export const oneTimeCodes: DialectSql = {
  sqlite: [tableOn('sqlite'), index],
  postgresql: [tableOn('postgresql'), index],
};
