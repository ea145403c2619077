import type { CatalogEntry } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { line, numberParameter } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { cursor, cursorOf } from './list-cursor.ts';
import { createNextPageLink, uuid } from './wire.ts';

const catalogLine = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string(),
    access: z.enum(['granted', 'requested', 'none']).meta({
      description: '`granted`: the caller may use it. `requested`: a request is pending. `none`: it can be requested.',
    }),
  })
  .meta({ id: 'CatalogLine' });

const paging = z.object({
  q: line({ max: 200 })
    .optional()
    .meta({ description: 'Only collections whose name or description contains this, ignoring case.' }),
  limit: numberParameter(1, 1_000).default(100).meta({ description: 'The page size.' }),
  cursor: cursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

export const catalogRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/catalog',
    operation: 'readCatalog',
    summary: 'List the collections that the caller may use or request',
    description:
      'Lists discoverable collections and those granted to the caller; an administrator may use all. For approved profiles. Sorted by name, ' +
      'ignoring case. Without a grant, nothing else about a collection is visible, and search does not return it.',
    auth: 'token or key',
    scope: 'catalog:read',
    query: paging,
    status: 200,
    linkParameters: { collection_id: '$response.body#/0/id' },
    response: z.array(catalogLine),
    errors: ['approval_required'],
    handler: async ({ useCases, caller, query: { q: containing = null, limit, cursor: after = null } }) => {
      // One more than the page size, to see whether there is a next page.
      const collections = await useCases.readCatalog(caller.principal, { containing, limit: limit + 1, after });
      const last = collections.length > limit ? collections[limit - 1] : undefined;
      const nextQuery = { limit: `${limit}`, ...(containing === null ? {} : { q: containing }) };
      const headers = last ? createNextPageLink('/api/catalog', { ...nextQuery, cursor: cursorOf(last) }) : {};
      return toJsonResponse(collections.slice(0, limit).map(toLineView), headers);
    },
  }),
] as const;

const toLineView = ({ id, name, description, access }: CatalogEntry): z.input<typeof catalogLine> => ({
  id,
  name,
  description,
  access,
});
