import { collectionNameMax, listVersion, readableTarget } from '@portico/domain';
import { z } from 'zod';
import { json, notModified } from '../responses/route-response.ts';
import { ifNoneMatchLists } from '../responses/negotiation.ts';
import { text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { listPageResponse, summaryEtag, wholeListResponse } from './collection-responses.ts';
import { extrasOf, includedExtras, scopedExtras } from './collection-extras.ts';
import { listedCollection, summary, summaryView } from './collection-views.ts';
import { cursor, cursorOf } from './list-cursor.ts';
import { includeTotal, pageHeaders, pageLimit, pageLimitDefault, pageOf } from './paging.ts';
import { collectionParameter } from './wire.ts';

const listing = z.object({
  include: includedExtras,
  q: text({ max: collectionNameMax })
    .optional()
    .meta({ description: 'Only collections whose name contains this, ignoring case.', examples: ['weather'] }),
  limit: pageLimit,
  cursor: cursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
});

export const collectionListRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/',
    operation: 'listCollections',
    summary: 'List the collections that the caller may see',
    description:
      'An admin sees all of them, a client its granted ones. Sorted by name, ignoring case. Paginated with `limit` or ' +
      '`cursor`: the `Link` header has the next page.',
    auth: 'token',
    scope: 'catalog:read',
    scopedParts: scopedExtras,
    query: listing,
    status: 200,
    supplies: { collection_id: '$response.body#/0/id' },
    conditional: true,
    response: z.array(listedCollection),
    handler: async ({ useCases, bodies, caller: { principal }, query, request }) => {
      const { include = [], q: containing = null, cursor: after = null } = query;
      const isWhole = query.limit === undefined && after === null;
      // Only the list without parameters is cached by version.
      if (isWhole && containing === null && !query.include && !query.include_total)
        return wholeListResponse(request, bodies, listVersion(principal), () =>
          useCases.listCollections(principal, null),
        );
      const limit = query.limit ?? pageLimitDefault;
      // One more than the page size, to see whether there is a next page.
      const requestedPage = isWhole ? null : { limit: limit + 1, after };
      const collections = await useCases.listCollections(principal, requestedPage, containing);
      const { page, last } = isWhole ? { page: collections, last: undefined } : pageOf(collections, limit);
      const total = query.include_total ? await useCases.countCollections(principal, containing) : null;
      const answer = listPageResponse(request, page, await extrasOf(useCases, principal, include, page));
      return { ...answer, headers: { ...answer.headers, ...pageHeaders(request, last && cursorOf(last), total) } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/summary',
    operation: 'readCollectionSummary',
    summary: "Read a collection's summary",
    description:
      'Without the document and the stored credential. Reading it does not count as a use, and is not audited.',
    params: collectionParameter,
    reads: 'whole',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    conditional: true,
    response: summary,
    errors: ['no_access', 'collection_not_found'],
    handler: ({ caller: { principal }, request }) => {
      const collection = readableTarget(principal);
      const etag = summaryEtag(collection);
      const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
      return ifNoneMatchLists(request.headers['if-none-match'], etag)
        ? notModified(headers)
        : json(summaryView(collection), headers);
    },
  }),
] as const;
