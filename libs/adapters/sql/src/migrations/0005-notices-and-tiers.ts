import type { DialectSql } from './migration.ts';

const statements = [
  // An admin has at most one notice, which counts how often it was requested.
  'alter table jobs add column asked integer not null default 1',
  "create unique index jobs_notice_unique on jobs (profile_id) where kind = 'mail.notice'",
];

export const noticesAndTiers: DialectSql = { sqlite: statements, postgresql: statements };
