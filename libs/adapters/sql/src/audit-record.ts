import type { AuditEntry } from '@portico/domain';
import { AuditEntryEntity } from './entities/audit-entities.ts';
import { columnsOf, insertInto, type Row, omitNames } from './table.ts';

export type AuditRow = Row<typeof AuditEntryEntity>;

/** The position of an entry in the pages, newest first; `seq` orders entries of the same instant. */
export type AuditPosition = Pick<AuditRow, 'instant' | 'seq'>;

export const auditColumns = columnsOf(AuditEntryEntity);

export const insertEntry = insertInto(AuditEntryEntity, omitNames(auditColumns, 'seq'));

export const entryOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  source: row.source,
  actorId: row.actorId,
  message: row.message,
  timestamp: row.timestamp,
  instant: row.instant,
  receivedAt: row.receivedAt,
  facets: { clientId: row.clientId, collectionId: row.collectionId, action: row.action },
});

/** Lists the members explicitly, because this runs for each entry: spreading the object takes seven times as long. */
export const toEntryRow = (entry: AuditEntry): Omit<AuditRow, 'seq'> => ({
  id: entry.id,
  source: entry.source,
  actorId: entry.actorId,
  message: entry.message,
  timestamp: entry.timestamp,
  instant: entry.instant,
  receivedAt: entry.receivedAt,
  clientId: entry.facets.clientId,
  collectionId: entry.facets.collectionId,
  action: entry.facets.action,
});
