import { toCsvLine, toCsv, toIso, type Cell, type MatrixPage, type MatrixQuery, type MatrixRow } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, toReadyResponse, toStreamResponse } from '../responses/route-response.ts';
import { prefersCsv } from '../responses/negotiation.ts';
import { booleanParameter, moment, numberParameter } from '../requests/fields.ts';
import { collectionReference, groupReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { expiresAt, accessWayFields, toAccessWayFieldsView } from './access-ways.ts';
import { ruleFields, toRuleView } from './grant-rules.ts';
import { matrixCursor, matrixCursorOf } from './matrix-cursor.ts';
import { toIsoOrNull, timestamp, uuid } from './wire.ts';

const matrixRow = z
  .object({
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    email: z.string(),
    full_name: z.string(),
    company_name: z.string().nullable(),
    registration_status: z.enum(['pending', 'approved', 'rejected']).meta({
      description: 'A rejected client has no access.',
    }),
    suspended_at: timestamp
      .nullable()
      .meta({ description: 'When the client was suspended; null if the client is not suspended.' }),
    collection_id: uuid,
    collection_name: z.string(),
    ...accessWayFields,
    granted_at: timestamp,
    expires_at: expiresAt,
    ...ruleFields,
  })
  .meta({ id: 'MatrixRow' });
type RowView = z.input<typeof matrixRow>;
const ruleNames = Object.keys(ruleFields) as (keyof typeof ruleFields)[];
const fieldNames = (Object.keys(matrixRow.shape) as (keyof RowView)[]).filter(
  (name): name is Exclude<keyof RowView, keyof typeof ruleFields> => !(name in ruleFields),
);
/** The columns of the CSV table. For human readers, the table adds the last day of access, which expires at `expires_at`. */
const columnNames = [...fieldNames, 'last_day', ...ruleNames];

const filters = z.object({
  profile: profileReference
    .optional()
    .meta({ description: 'Only this client. The id or email address of its profile.' }),
  group: groupReference
    .optional()
    .meta({ description: 'Only access through this group. The id or exact name of the group.' }),
  collection: collectionReference.optional().meta({
    description:
      'Only this collection. The id of the collection, or an exact name, which matches all collections with this name.',
  }),
  expiring_before: moment.optional().meta({
    description:
      'Only access that expires before this time. An ISO 8601 date-time, in UTC if it has no time zone; or a date, which means the start of that day.',
    examples: ['2026-12-31'],
  }),
  include_expired: booleanParameter.default(false).meta({ description: 'Whether to include expired grants.' }),
  limit: numberParameter(1, 1_000).optional().meta({ description: 'The page size, 100 by default.' }),
  cursor: matrixCursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

const pageLimitDefault = 100;

export const matrixRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/access/matrix',
    operation: 'readAccessMatrix',
    summary: 'Read the access matrix: who has access, how and until when',
    description:
      'One row for each grant that gives a client access to a collection: a direct grant or a grant of a group. Sorted by email address, then by ' +
      'collection name. Omits administrators, who can see everything. Paginated: the `Link` header has the ' +
      'next page. An unknown name is a 404. With `Accept: text/csv`, returns a table with a header row; it is complete unless `limit` or `cursor` is set.',
    auth: 'admin',
    scope: 'access:read',
    query: filters,
    status: 200,
    alternativeMediaType: 'text/csv',
    response: z.array(matrixRow),
    errors: ['user_not_found', 'group_not_found', 'collection_not_found'],
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const matrixQuery = queryOf(query);
      const isCsv = prefersCsv(request.headers.accept);
      if (isCsv && query.limit === undefined && query.cursor === undefined)
        return toStreamResponse(tableOf(await useCases.exportMatrix(authority, matrixQuery)), csvHeaders);
      const limit = query.limit ?? pageLimitDefault;
      const page = await useCases.readMatrix(authority, matrixQuery, query.cursor ?? null, limit);
      const link = linkOf(request.url ?? '', page);
      const views = page.rows.map(toRowView);
      return isCsv
        ? toReadyResponse(toCsv(columnNames, views.map(cellsOf)), { ...csvHeaders, ...link })
        : toJsonResponse(views, { Vary: 'Accept', ...link });
    },
  }),
] as const;

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="access.csv"',
  Vary: 'Accept',
};

const queryOf = (query: z.output<typeof filters>): MatrixQuery => ({
  profile: query.profile ?? null,
  group: query.group ?? null,
  collection: query.collection ?? null,
  expiringBefore: query.expiring_before == null ? null : Math.ceil(query.expiring_before),
  includeExpired: query.include_expired,
});

async function* tableOf(pages: AsyncIterable<readonly MatrixRow[]>): AsyncGenerator<string> {
  yield toCsvLine(columnNames);
  for await (const rows of pages) yield rows.map((row) => toCsvLine(cellsOf(toRowView(row)))).join('');
}

/** Returns the `Link` header with the same query and the cursor of the next page. */
const linkOf = (url: string, { next }: MatrixPage): Record<string, string> => {
  if (!next) return {};
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  query.set('cursor', matrixCursorOf(next));
  return { Link: `</api/access/matrix?${query.toString()}>; rel="next"` };
};

const cellsOf = (view: RowView): readonly Cell[] => [
  ...fieldNames.map((name) => view[name]),
  lastDayOf(view),
  ...ruleNames.map((name) => toRuleCell(view[name])),
];

/** Returns a part of a rule: keys are separated by spaces; empty without a rule. */
const toRuleCell = (part: string | readonly string[] | undefined): Cell =>
  typeof part === 'string' ? part : (part ?? []).join(' ');

const dayMs = 86_400_000;

/**
 * Returns the last day, in UTC, of access that expires at midnight; an empty text if it expires at a different time, or
 * never.
 */
const lastDayOf = ({ expires_at: expiry }: RowView): string => {
  const expiryMs = expiry === null ? null : Date.parse(expiry);
  return expiryMs === null || expiryMs % dayMs !== 0 ? '' : toIso(expiryMs - 1).slice(0, 10);
};

const toRowView = ({ client, collection, grant }: MatrixRow): RowView => ({
  client_id: client.id,
  email: client.email,
  full_name: client.fullName,
  company_name: client.companyName,
  registration_status: client.status,
  suspended_at: toIsoOrNull(client.suspendedAt),
  collection_id: collection.id,
  collection_name: collection.name,
  ...toAccessWayFieldsView(grant),
  granted_at: toIso(grant.grantedAt),
  expires_at: toIsoOrNull(grant.expiresAt),
  ...toRuleView(grant),
});
