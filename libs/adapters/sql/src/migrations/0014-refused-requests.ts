import type { DialectSql } from './migration.ts';

/** A column that the version before neither reads nor writes: its rows have refused nothing. */
const statements = ['alter table usage_days add column refused bigint not null default 0'];

export const refusedRequests: DialectSql = { sqlite: statements, postgresql: statements };
