import type { DialectSql } from './migration.ts';

const statements = [
  // An admin has one notice, which counts how often it was requested.
  'alter table jobs add column asked integer not null default 1',
  "create unique index jobs_notice_unique on jobs (profile_id) where kind = 'mail.notice'",
  // Names of removed tiers that profiles still hold: a new tier of that name would revive them.
  `update profiles set tier = null, updated_at = updated_at + 1
    where tier is not null and tier not in (select tier from tiers)`,
];

export const noticesAndTiers: DialectSql = { sqlite: statements, postgresql: statements };
