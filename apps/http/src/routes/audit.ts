import {
  parseDateTime,
  parseId,
  pageSizeDefault,
  PorticoError,
  type AuditEntry,
  type AuditFilter,
  type Json,
  type ProfileId,
} from '@portico/domain';
import { z } from 'zod';
import { ready, stream } from '../answers/answer.ts';
import { numberParameter, optional, text } from '../requests/fields.ts';
import { defineRoute, type Route } from '../route.ts';
import { attributedEntry, auditEntry, auditPage, entryLine, entryText, pageText } from './audit-views.ts';

const newEntry = z
  .object({
    message: z
      .record(z.string(), z.unknown())
      .refine(isStorable, { error: 'must not contain U+0000 or lone surrogates' })
      .meta({
        description:
          'Free-form. Common keys: `action`, `client_id`, `collection_id`, `method`, `endpoint`, `status_code`, `duration_ms`.',
        examples: [{ action: 'api_call', method: 'GET', endpoint: '/weather', status_code: 200, duration_ms: 12 }],
      }),
    timestamp: optional(text({ max: 100 })).meta({
      description: 'An ISO 8601 date-time, without a zone in UTC; by default the time of arrival.',
      examples: ['2026-01-31T09:30:00Z'],
    }),
  })
  .meta({ id: 'NewAuditEntry' });

const facet = optional(text({ max: 200 }));
const instant = optional(
  text({ max: 100 }).refine((value) => parseDateTime(value) !== null, { error: 'must be an ISO 8601 date-time' }),
);
const filters = {
  source: optional(z.enum(['client', 'system', 'all'])).meta({
    default: 'client',
    description: "Whose entries: the callers' (`client`), the service's own (`system`), or `all`.",
  }),
  actor_id: optional(
    text({ max: 36 }).refine((value) => parseId(value) !== null, { error: 'must be the id of a profile' }),
  ).meta({ description: 'Written or caused by this profile.' }),
  client_id: facet.meta({ description: '`message.client_id`' }),
  collection_id: facet.meta({ description: '`message.collection_id`' }),
  action: facet.meta({ description: '`message.action`' }),
  from: instant.meta({ description: 'From this ISO 8601 date-time on.' }),
  to: instant.meta({ description: 'Before this ISO 8601 date-time.' }),
  include: optional(z.enum(['actor'])).meta({ description: '`actor` adds `actor_id` and `received_at`.' }),
};
const exported = z.object(filters);
const paged = z.object({
  page: numberParameter(1, Math.floor(Number.MAX_SAFE_INTEGER / 100))
    .default(1)
    .meta({ description: 'From 1 on.' }),
  pageSize: numberParameter(1, Number.MAX_SAFE_INTEGER)
    .default(pageSizeDefault)
    .meta({ description: 'At most 100; more is cut to that.' }),
  ...filters,
});

export const auditRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/audit/',
    operation: 'writeAuditEntry',
    tag: 'Audit',
    summary: 'Write an audit log entry',
    description: 'The entry is durable once it is answered.',
    who: 'token or key',
    bodyKind: 'json',
    body: newEntry,
    status: 201,
    response: auditEntry,
    handler: async ({ useCases, caller, body: { fields, memberText } }) => {
      const entry = await useCases.writeAuditEntry(caller.access, {
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
    tag: 'Audit',
    summary: 'Read the audit log page by page',
    description: 'Newest `timestamp` first. A page past the end is empty.',
    who: 'admin',
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
    tag: 'Audit',
    summary: 'Export the audit log',
    description: 'One entry a line (NDJSON), newest first, as fast as it is read.',
    who: 'admin',
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
  source: query.source ?? 'client',
  ...(query.actor_id ? { actorId: profileOf(query.actor_id) } : {}),
  ...(query.client_id ? { clientId: query.client_id } : {}),
  ...(query.collection_id ? { collectionId: query.collection_id } : {}),
  ...(query.action ? { action: query.action } : {}),
  ...(query.from ? { from: instantOf(query.from) } : {}),
  ...(query.to ? { to: instantOf(query.to) } : {}),
});

// Both were validated; the refusals here say the same once more to the compiler.
const profileOf = (value: string): ProfileId => {
  const id = parseId<ProfileId>(value);
  if (!id) throw new PorticoError('invalid_query', { because: 'actor_id must be the id of a profile' });
  return id;
};
const instantOf = (value: string): number => {
  const found = parseDateTime(value);
  if (found === null) throw new PorticoError('invalid_query', { because: 'from and to must be ISO 8601 date-times' });
  return found;
};

/** Whether every text in the value, names included, can be stored anywhere: without U+0000 and lone surrogates. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
