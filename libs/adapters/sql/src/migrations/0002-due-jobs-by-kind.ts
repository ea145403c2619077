import type { DialectSql } from './migration.ts';

const statements = ['create index jobs_kind_index on jobs (kind, due_at, id) where given_up = false'];

/** An index for finding the jobs of one kind that have been due longest, without scanning the jobs of other kinds. */
export const dueJobsByKind: DialectSql = { sqlite: statements, postgresql: statements };
