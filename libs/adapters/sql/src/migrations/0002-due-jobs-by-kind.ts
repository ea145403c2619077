import type { DialectSql } from './migration.ts';

const statements = ['create index jobs_kind_index on jobs (kind, due_at, id) where given_up = false'];

/** Finds the longest due jobs of one kind at once, however many jobs of other kinds there are. */
export const dueJobsByKind: DialectSql = { sqlite: statements, postgresql: statements };
