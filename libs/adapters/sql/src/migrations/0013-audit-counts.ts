import type { DialectSql } from './migration.ts';

const columns = { actor: 'actor_id', client: 'client_id', collection: 'collection_id', action: 'action' };

/**
 * The indexes by which entries are filtered get the source of each entry, so that counting them reads no rows. To make
 * them anew takes seconds for each million entries, during which none is written.
 */
const indexes = Object.entries(columns).flatMap(([name, column]) => [
  `drop index audit_entries_${name}_index`,
  `create index audit_entries_${name}_index on audit_entries (${column}, instant, seq, source) where ${column} is not null`,
]);

export const auditCounts: DialectSql = { sqlite: indexes, postgresql: indexes };
