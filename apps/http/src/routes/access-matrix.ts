import { csvLine, csvText, toIso, type Cell, type MatrixPage, type MatrixQuery, type MatrixRow } from '@portico/domain';
import { z } from 'zod';
import { json, ready, stream } from '../responses/route-response.ts';
import { prefersCsv } from '../responses/negotiation.ts';
import { booleanParameter, moment, numberParameter } from '../requests/fields.ts';
import { collectionReference, groupReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { expiresAt, wayFields, wayFieldsView } from './access-ways.ts';
import { matrixCursor, matrixCursorOf } from './matrix-cursor.ts';
import { isoOrNull, timestamp, uuid } from './wire.ts';

const matrixRow = z
  .object({
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    email: z.string(),
    full_name: z.string(),
    company_name: z.string().nullable(),
    registration_status: z.enum(['pending', 'approved', 'rejected']).meta({
      description: 'A rejected client has no access.',
    }),
    suspended_at: timestamp.nullable().meta({ description: 'When it was suspended; null if it is not.' }),
    collection_id: uuid,
    collection_name: z.string(),
    ...wayFields,
    granted_at: timestamp,
    expires_at: expiresAt,
  })
  .meta({ id: 'MatrixRow' });
type RowView = z.input<typeof matrixRow>;
const fieldNames = Object.keys(matrixRow.shape) as (keyof RowView)[];
/** The columns of the CSV table. For human readers, it adds the last day of access, which ends at `expires_at`. */
const columnNames = [...fieldNames, 'last_day'];

const filters = z.object({
  profile: profileReference.optional().meta({ description: "Only this client, by its profile's id or e-mail." }),
  group: groupReference.optional().meta({ description: 'Only access by this group, by its id or exact name.' }),
  collection: collectionReference
    .optional()
    .meta({ description: 'Only this collection, by its id; or all with this exact name.' }),
  expiring_before: moment.optional().meta({
    description:
      'Only if it expires before this. An ISO 8601 date-time, UTC if it has no zone; or a date, which is its start.',
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
    summary: 'Read access: who, how and until when',
    description:
      'A row for each way in which a client has a collection: its own grant, or that of a group. Sorted by e-mail, then by the ' +
      "collection's name. Administrators, who see everything, are left out. Paginated: the `Link` header has the " +
      'next page. An unknown name is a 404. With `Accept: text/csv`, a table with a header row, complete unless `limit` or `cursor` is set.',
    auth: 'admin',
    scope: 'access:read',
    query: filters,
    status: 200,
    otherMedia: 'text/csv',
    response: z.array(matrixRow),
    errors: ['user_not_found', 'group_not_found', 'collection_not_found'],
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const matrixQuery = queryOf(query);
      const isCsv = prefersCsv(request.headers.accept);
      if (isCsv && query.limit === undefined && query.cursor === undefined)
        return stream(tableOf(await useCases.exportMatrix(authority, matrixQuery)), csvHeaders);
      const limit = query.limit ?? pageLimitDefault;
      const page = await useCases.readMatrix(authority, matrixQuery, query.cursor ?? null, limit);
      const link = linkOf(request.url ?? '', page);
      const views = page.rows.map(rowView);
      return isCsv
        ? ready(csvText(columnNames, views.map(cellsOf)), { ...csvHeaders, ...link })
        : json(views, { Vary: 'Accept', ...link });
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
  yield csvLine(columnNames);
  for await (const rows of pages) yield rows.map((row) => csvLine(cellsOf(rowView(row)))).join('');
}

/** Returns the `Link` header with the same query and the cursor of the next page. */
const linkOf = (url: string, { next }: MatrixPage): Record<string, string> => {
  if (!next) return {};
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  query.set('cursor', matrixCursorOf(next));
  return { Link: `</api/access/matrix?${query.toString()}>; rel="next"` };
};

const cellsOf = (view: RowView): readonly Cell[] => [...fieldNames.map((name) => view[name]), lastDayOf(view)];

const dayMs = 86_400_000;

/**
 * Returns the last day, in UTC, of access that expires at midnight; an empty text if it expires at a different time, or
 * never.
 */
const lastDayOf = ({ expires_at: end }: RowView): string => {
  const endMs = end === null ? null : Date.parse(end);
  return endMs === null || endMs % dayMs !== 0 ? '' : toIso(endMs - 1).slice(0, 10);
};

const rowView = ({ client, collection, way }: MatrixRow): RowView => ({
  client_id: client.id,
  email: client.email,
  full_name: client.fullName,
  company_name: client.companyName,
  registration_status: client.status,
  suspended_at: isoOrNull(client.suspendedAt),
  collection_id: collection.id,
  collection_name: collection.name,
  ...wayFieldsView(way),
  granted_at: toIso(way.grantedAt),
  expires_at: isoOrNull(way.expiresAt),
});
