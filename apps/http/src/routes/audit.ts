import { pageSizeDefault, type AuditEntry, type AuditFilter, type Json } from '@portico/domain';
import { z } from 'zod';
import { ready, stream } from '../answers/answer.ts';
import { dateTime, moment, numberParameter, optional, profileId, text } from '../requests/fields.ts';
import { defineRoute, type RouteRow } from '../route.ts';
import { attributedEntry, auditEntry, auditPage, entryLine, entryText, pageText } from './audit-views.ts';

const newEntry = z
  .object({
    message: z.record(z.string(), z.unknown()).meta({
      description:
        'Free-form. Common keys: `action`, `client_id`, `collection_id`, `method`, `endpoint`, `status_code`, `duration_ms`.',
      examples: [{ action: 'api_call', method: 'GET', endpoint: '/weather', status_code: 200, duration_ms: 12 }],
    }),
    timestamp: optional(dateTime).meta({
      description:
        'An ISO 8601 date-time, in any of its forms and without a zone in UTC; by default the time of arrival.',
      examples: ['2026-01-31T09:30:00Z'],
    }),
  })
  .meta({ id: 'NewAuditEntry' });

const facet = text({ max: 200 }).optional();
const isMoment =
  'An ISO 8601 date-time, in any of its forms and without a zone in UTC, or a date alone, which is its first instant in UTC.';
const filters = {
  source: z
    .enum(['client', 'system', 'all'])
    .default('client')
    .meta({ description: "Whose entries: the callers' (`client`), the service's own (`system`), or `all`." }),
  actor_id: profileId.optional().meta({ description: 'Written or caused by this profile.' }),
  client_id: facet.meta({ description: '`message.client_id`' }),
  collection_id: facet.meta({ description: '`message.collection_id`' }),
  action: facet.meta({ description: '`message.action`' }),
  from: moment.optional().meta({ description: `From then on. ${isMoment}`, examples: ['2026-01-31T09:30:00Z'] }),
  to: moment.optional().meta({ description: `Before then. ${isMoment}`, examples: ['2026-02-01'] }),
  include: z.enum(['actor']).optional().meta({ description: '`actor` adds `actor_id` and `received_at`.' }),
};
const exported = z.object(filters);
const paged = z.object({
  page: numberParameter(1).default(1).meta({ description: 'From 1 on; one past the end is empty.' }),
  pageSize: numberParameter(1).default(pageSizeDefault).meta({ description: 'At most 100; more is cut to that.' }),
  ...filters,
});

export const auditRoutes: readonly RouteRow[] = [
  defineRoute({
    method: 'POST',
    path: '/api/audit/',
    operation: 'writeAuditEntry',
    summary: 'Write an audit log entry',
    description: 'The entry is durable once it is answered.',
    auth: 'token or key',
    bodyKind: 'json',
    body: newEntry,
    status: 201,
    response: auditEntry,
    handler: async ({ useCases, caller, body: { fields, memberText } }) => {
      const entry = await useCases.writeAuditEntry(caller.principal, {
        text: memberText('message') ?? '{}',
        message: fields.message as Readonly<Record<string, Json>>,
        timestamp: fields.timestamp ?? null,
      });
      return ready(entryText(entry, false));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/audit/',
    operation: 'readAuditPage',
    summary: 'Read the audit log page by page',
    description: 'Newest `timestamp` first. A page past the end is empty.',
    auth: 'admin',
    query: paged,
    status: 200,
    response: auditPage,
    handler: async ({ useCases, caller, query }) => {
      const page = await useCases.readAuditPage(caller.authority, filterOf(query), query.page, query.pageSize);
      return ready(pageText(page, query.include === 'actor'));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/audit/export',
    operation: 'exportAudit',
    summary: 'Export the audit log',
    description: 'One entry a line (NDJSON), newest first, as fast as it is read.',
    auth: 'admin',
    query: exported,
    status: 200,
    media: 'application/x-ndjson',
    response: attributedEntry,
    handler: ({ useCases, caller, query }) =>
      stream(lines(useCases.exportAudit(caller.authority, filterOf(query)), query.include === 'actor'), {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="audit.ndjson"',
      }),
  }),
];

async function* lines(entries: AsyncIterable<AuditEntry>, withActor: boolean): AsyncGenerator<string> {
  for await (const entry of entries) yield entryLine(entry, withActor);
}

const filterOf = (query: z.output<typeof exported>): AuditFilter => ({
  source: query.source,
  ...(query.actor_id ? { actorId: query.actor_id } : {}),
  ...(query.client_id ? { clientId: query.client_id } : {}),
  ...(query.collection_id ? { collectionId: query.collection_id } : {}),
  ...(query.action ? { action: query.action } : {}),
  ...(query.from == null ? {} : { from: query.from }),
  ...(query.to == null ? {} : { to: query.to }),
});
