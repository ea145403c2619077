import { defineEntity, p } from '@mikro-orm/core';
import type { AuditSource, EntryId, ProfileId } from '@portico/domain';
import { int64, text } from './columns.ts';

/** An audit entry; `seq` is the order of insertion. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    seq: p.integer().primary(),
    id: text().$type<EntryId>(),
    source: text().$type<AuditSource>(),
    actorId: text().$type<ProfileId>().nullable(),
    message: text(),
    timestamp: text(),
    instant: int64(),
    receivedAt: int64(),
    clientId: text().nullable(),
    collectionId: text().nullable(),
    action: text().nullable(),
  },
  indexes: [
    { name: 'audit_entries_instant_index', properties: ['instant', 'seq'] },
    { name: 'audit_entries_source_index', properties: ['source', 'instant', 'seq'] },
    { name: 'audit_entries_received_index', properties: ['receivedAt', 'seq'] },
    // Includes the source, so that counting by the source and one of these columns reads only the index.
    {
      name: 'audit_entries_actor_index',
      properties: ['actorId', 'instant', 'seq', 'source'],
      where: 'actor_id is not null',
    },
    {
      name: 'audit_entries_client_index',
      properties: ['clientId', 'instant', 'seq', 'source'],
      where: 'client_id is not null',
    },
    {
      name: 'audit_entries_collection_index',
      properties: ['collectionId', 'instant', 'seq', 'source'],
      where: 'collection_id is not null',
    },
    {
      name: 'audit_entries_action_index',
      properties: ['action', 'instant', 'seq', 'source'],
      where: 'action is not null',
    },
  ],
});

/**
 * The number of entries per source (`all` for both) and day of the instant, and in total. Updated on every write, never
 * computed by counting.
 */
export const AuditDayEntity = defineEntity({
  name: 'AuditDay',
  tableName: 'audit_days',
  properties: { scope: text().primary(), day: p.integer().primary().autoincrement(false), entries: int64() },
});

export const AuditTotalEntity = defineEntity({
  name: 'AuditTotal',
  tableName: 'audit_totals',
  properties: { scope: text().primary(), entries: int64() },
});
