import type { DialectSql } from './migration.ts';

const statements = ['create index jobs_kind_index on jobs (kind, due_at, id) where given_up = false'];

/** The longest due jobs of one kind are found at once, however many there are of another. */
export const dueJobsByKind: DialectSql = { sqlite: statements, postgresql: statements };
