import type { DialectSql } from './migration.ts';

/** What is left of tiers that went while profiles kept their names: it would come to life with a new tier of that name. */
const statements = [
  `update profiles set tier = null, updated_at = updated_at + 1
    where tier is not null and tier not in (select tier from tiers)`,
];

export const noticesAndTiers: DialectSql = { sqlite: statements, postgresql: statements };
