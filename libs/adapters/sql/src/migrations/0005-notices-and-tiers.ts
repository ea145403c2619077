import type { DialectSql } from './migration.ts';

const statements = [
  // An admin has one notice, which counts how often it was asked for.
  'alter table jobs add column asked integer not null default 1',
  "create unique index jobs_notice_unique on jobs (profile_id) where kind = 'mail.notice'",
  // What is left of tiers that went while profiles kept their names: it would come to life with a new tier of that name.
  `update profiles set tier = null, updated_at = updated_at + 1
    where tier is not null and tier not in (select tier from tiers)`,
];

export const noticesAndTiers: DialectSql = { sqlite: statements, postgresql: statements };
