import { toIso, type AuditEntry, type AuditPage } from '@portico/domain';
import { z } from 'zod';
import { timestamp, uuid } from './wire.ts';

const messageObject = z.record(z.string(), z.unknown()).meta({
  description: 'Free-form, as it was sent.',
  examples: [{ action: 'api_call', status_code: 200, duration_ms: 12 }],
});
const entryFields = {
  id: uuid,
  message: messageObject,
  timestamp: z.string().meta({ description: 'ISO 8601, exactly as it was sent.', examples: ['2026-01-31T09:30:00Z'] }),
};
const actorFields = {
  actor_id: uuid
    .nullable()
    .optional()
    .meta({ description: 'The profile that wrote or caused the entry; with `?include=actor`.' }),
  received_at: timestamp.optional().meta({ description: 'When it arrived; with `?include=actor`.' }),
};

export const auditEntry = z.object(entryFields).meta({ id: 'AuditEntry' });
export const attributedEntry = z.object({ ...entryFields, ...actorFields }).meta({ id: 'ListedAuditEntry' });
export const auditPage = z
  .object({
    data: z.array(attributedEntry),
    total: z.int(),
    page: z.int(),
    pageSize: z.int(),
    totalPages: z.int(),
  })
  .meta({ id: 'AuditPage' });

/** An entry as JSON text; its message stands there as it was sent. */
export const entryText = ({ id, message, timestamp, actorId, receivedAt }: AuditEntry, withActor: boolean): string => {
  const actor = withActor
    ? `,"actor_id":${JSON.stringify(actorId)},"received_at":${JSON.stringify(toIso(receivedAt))}`
    : '';
  return `{"id":"${id}","message":${message},"timestamp":${JSON.stringify(timestamp)}${actor}}`;
};

/** An entry on one line: line breaks in JSON text stand only between its parts, where a space does as well. */
export const entryLine = (entry: AuditEntry, withActor: boolean): string =>
  `${entryText(entry, withActor).replace(/[\r\n]+/g, ' ')}\n`;

export const pageText = ({ entries, total, page, pageSize, totalPages }: AuditPage, withActor: boolean): string => {
  const data = entries.map((entry) => entryText(entry, withActor)).join(',');
  return `{"data":[${data}],"total":${total},"page":${page},"pageSize":${pageSize},"totalPages":${totalPages}}`;
};
