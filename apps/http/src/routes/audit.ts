import {
  pageSizeDefault,
  toIso,
  type AdminAuthority,
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type Json,
  type NamedEntry,
  type ProfileId,
  type ProfileReference,
  type UseCases,
} from '@portico/domain';
import { z } from 'zod';
import { toReadyResponse, toStreamResponse } from '../responses/route-response.ts';
import { dateTime, moment, numberParameter, optional, profileId, text, wordsParameter } from '../requests/fields.ts';
import { profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { findProfileIdByEmail } from './profile-path.ts';
import { timestamp, uuid } from './wire.ts';

const messageObject = z.record(z.string(), z.unknown()).meta({
  description: 'Free-form, as sent.',
  examples: [{ action: 'api_call', status_code: 200, duration_ms: 12 }],
});
const entryFields = {
  id: uuid,
  message: messageObject,
  timestamp: z.string().meta({ description: 'ISO 8601, exactly as sent.', examples: ['2026-01-31T09:30:00Z'] }),
};
const actorFields = {
  actor_id: uuid.nullable().optional().meta({
    description:
      'The id of the profile or service account that wrote or caused the entry; present with `?include=actor`.',
  }),
  received_at: timestamp
    .optional()
    .meta({ description: 'When the entry was received; present with `?include=actor`.' }),
  actor: z
    .string()
    .nullable()
    .optional()
    .meta({
      description:
        'The email address of the profile, or the name of the service account; null if it was deleted, or if the service itself ' +
        'wrote the entry; present with `?include=names`.',
      examples: ['ada@example.com'],
    }),
  source: z.enum(['client', 'system']).optional().meta({
    description: 'Whether a caller (unverified) or the service wrote the entry; present with `?include=names`.',
  }),
};

const auditEntry = z.object(entryFields).meta({ id: 'AuditEntry' });
const attributedEntry = z.object({ ...entryFields, ...actorFields }).meta({ id: 'ListedAuditEntry' });
const auditPage = z
  .object({
    data: z.array(attributedEntry),
    total: z.int(),
    page: z.int(),
    pageSize: z.int(),
    totalPages: z.int(),
  })
  .meta({ id: 'AuditPage' });

/** The additional fields to include in an entry. */
interface EntryExtras {
  readonly actor: boolean;
  readonly names: boolean;
}
type ExtendedEntry = AuditEntry & Partial<NamedEntry>;

/** Returns an entry as JSON text, with its message as it was sent. */
const formatEntry = (entry: ExtendedEntry, extras: EntryExtras): string => {
  const { id, message, timestamp, actorId, receivedAt, actor = null, source } = entry;
  const ids = extras.actor
    ? `,"actor_id":${JSON.stringify(actorId)},"received_at":${JSON.stringify(toIso(receivedAt))}`
    : '';
  const name = extras.names ? `,"actor":${JSON.stringify(actor)},"source":"${source}"` : '';
  return `{"id":"${id}","message":${message},"timestamp":${JSON.stringify(timestamp)}${ids}${name}}`;
};

/** Returns an entry on one line: raw line breaks occur only between JSON tokens, where a space is equivalent. */
const formatEntryLine = (entry: ExtendedEntry, extras: EntryExtras): string =>
  `${formatEntry(entry, extras).replace(/[\r\n]+/g, ' ')}\n`;

const formatPage = (
  { total, page, pageSize, totalPages }: AuditPage,
  entries: readonly ExtendedEntry[],
  extras: EntryExtras,
): string => {
  const data = entries.map((entry) => formatEntry(entry, extras)).join(',');
  return `{"data":[${data}],"total":${total},"page":${page},"pageSize":${pageSize},"totalPages":${totalPages}}`;
};

const newEntry = z
  .object({
    message: z.record(z.string(), z.unknown()).meta({
      description:
        'Free-form. Common keys: `action`, `client_id`, `collection_id`, `method`, `endpoint`, `status_code`, `duration_ms`.',
      examples: [{ action: 'api_call', method: 'GET', endpoint: '/weather', status_code: 200, duration_ms: 12 }],
    }),
    timestamp: optional(dateTime).meta({
      description:
        'An ISO 8601 date-time in any format; in UTC if it has no time zone. By default, the time when the entry is received.',
      examples: ['2026-01-31T09:30:00Z'],
    }),
  })
  .meta({ id: 'NewAuditEntry' });

const facet = text({ max: 200 }).optional();
const momentFormats =
  'An ISO 8601 date-time in any format, in UTC if it has no time zone; or a date without a time, which means the start of that day in UTC.';
const filters = {
  source: z.enum(['client', 'system', 'all']).default('client').meta({
    description: 'Which entries: written by callers (`client`), written by the service (`system`), or `all`.',
  }),
  actor_id: profileId
    .optional()
    .meta({ description: 'Only entries written or caused by this profile or service account.' }),
  actor: profileReference.optional().meta({
    description:
      'Only entries written or caused by this profile. The email address or id of the profile; an unregistered email address is a 404.',
  }),
  client_id: facet.meta({ description: '`message.client_id`' }),
  collection_id: facet.meta({ description: '`message.collection_id`' }),
  action: facet.meta({ description: '`message.action`' }),
  from: moment
    .optional()
    .meta({ description: `Only entries at or after this time. ${momentFormats}`, examples: ['2026-01-31T09:30:00Z'] }),
  to: moment
    .optional()
    .meta({ description: `Only entries before this time. ${momentFormats}`, examples: ['2026-02-01'] }),
  include: wordsParameter(['actor', 'names']).optional().meta({
    description:
      '`actor` adds `actor_id` and `received_at`, `names` adds `actor` and `source`. To request both, separate them by a comma.',
  }),
};
const exportQuery = z.object(filters);
const pageQuery = z.object({
  page: numberParameter(1).default(1).meta({ description: 'The page number, from 1. A page past the end is empty.' }),
  pageSize: numberParameter(1)
    .default(pageSizeDefault)
    .meta({ description: 'The page size. Values above 100 are reduced to 100.' }),
  ...filters,
});

export const auditRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/audit/',
    operation: 'writeAuditEntry',
    summary: 'Write an audit log entry',
    description: 'When the request returns, the entry is durable.',
    auth: 'token or key',
    scope: null,
    bodyKind: 'json',
    body: newEntry,
    status: 201,
    response: auditEntry,
    handler: async ({ useCases, caller, body: { fields, readMemberText } }) => {
      const entry = await useCases.writeAuditEntry(caller.principal, {
        text: readMemberText('message') ?? '{}',
        message: fields.message as Readonly<Record<string, Json>>,
        timestamp: fields.timestamp ?? null,
      });
      return toReadyResponse(formatEntry(entry, { actor: false, names: false }));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/audit/',
    operation: 'readAuditPage',
    summary: 'Read a page of the audit log',
    description: 'Newest `timestamp` first. A page past the end is empty.',
    auth: 'admin',
    scope: 'audit:read',
    query: pageQuery,
    status: 200,
    response: auditPage,
    errors: ['user_not_found'],
    handler: async ({ useCases, caller, query }) => {
      const page = await useCases.readAuditPage(
        caller.authority,
        await filterOf(useCases, caller.authority, query),
        query.page,
        query.pageSize,
      );
      const extras = extrasOf(query);
      const entries = extras.names ? await useCases.nameActors(caller.authority, page.entries) : page.entries;
      return toReadyResponse(formatPage(page, entries, extras));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/audit/export',
    operation: 'exportAudit',
    summary: 'Export the audit log',
    description: 'One entry per line (NDJSON), newest first, streamed.',
    auth: 'admin',
    scope: 'audit:read',
    query: exportQuery,
    status: 200,
    mediaType: 'application/x-ndjson',
    response: attributedEntry,
    errors: ['user_not_found'],
    handler: async ({ useCases, caller, query }) => {
      const extras = extrasOf(query);
      const filter = await filterOf(useCases, caller.authority, query);
      const entries = extras.names
        ? useCases.exportNamedAudit(caller.authority, filter)
        : useCases.exportAudit(caller.authority, filter);
      return toStreamResponse(toLines(entries, extras), {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="audit.ndjson"',
      });
    },
  }),
] as const;

async function* toLines(entries: AsyncIterable<ExtendedEntry>, extras: EntryExtras): AsyncGenerator<string> {
  for await (const entry of entries) yield formatEntryLine(entry, extras);
}

const extrasOf = ({ include = [] }: Pick<z.output<typeof exportQuery>, 'include'>): EntryExtras => ({
  actor: include.includes('actor'),
  names: include.includes('names'),
});

const actorOf = async (useCases: UseCases, authority: AdminAuthority, actor: ProfileReference): Promise<ProfileId> =>
  actor.by === 'id' ? actor.id : findProfileIdByEmail(useCases, authority, actor.name);

const filterOf = async (
  useCases: UseCases,
  authority: AdminAuthority,
  query: z.output<typeof exportQuery>,
): Promise<AuditFilter> => ({
  source: query.source,
  ...(query.actor ? { actorId: await actorOf(useCases, authority, query.actor) } : {}),
  ...(query.actor_id ? { actorId: query.actor_id } : {}),
  ...(query.client_id ? { clientId: query.client_id } : {}),
  ...(query.collection_id ? { collectionId: query.collection_id } : {}),
  ...(query.action ? { action: query.action } : {}),
  ...(query.from == null ? {} : { from: query.from }),
  ...(query.to == null ? {} : { to: query.to }),
});
