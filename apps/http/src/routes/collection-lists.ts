import { collectionNameMax, listVersionOf, requireReadableTarget, tagMax } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, createNotModifiedResponse } from '../responses/route-response.ts';
import { matchesIfNoneMatch } from '../responses/negotiation.ts';
import { line, text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { createListPageResponse, summaryEtagOf, createCompleteListResponse } from './collection-responses.ts';
import { readExtras, includedExtras, scopedExtras } from './collection-extras.ts';
import { listedCollection, summary, toSummaryView } from './collection-views.ts';
import { cursor, cursorOf } from './list-cursor.ts';
import { includeTotal, createPageHeaders, pageLimit, pageLimitDefault, pageOf } from './paging.ts';
import { collectionParameter } from './wire.ts';

const listQuery = z.object({
  include: includedExtras,
  q: text({ max: collectionNameMax })
    .optional()
    .meta({ description: 'Only collections whose name contains this, ignoring case.', examples: ['weather'] }),
  tag: line({ max: tagMax })
    .optional()
    .meta({ description: 'Only collections with this tag, ignoring case.', examples: ['public'] }),
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
      'An administrator sees all collections; a client sees those granted to it. Sorted by name, ignoring case. Paginated with `limit` or ' +
      '`cursor`: the `Link` header has the next page.',
    auth: 'token',
    scope: 'catalog:read',
    scopedParts: scopedExtras,
    query: listQuery,
    status: 200,
    linkParameters: { collection_id: '$response.body#/0/id' },
    isConditional: true,
    response: z.array(listedCollection),
    handler: async ({ useCases, bodies, caller: { principal }, query, request }) => {
      const { include = [], q: containing = null, tag = null, cursor: after = null } = query;
      const isCompleteList = query.limit === undefined && after === null;
      // Only the list without parameters is cached by version.
      if (isCompleteList && containing === null && tag === null && !query.include && !query.include_total)
        return createCompleteListResponse(request, bodies, listVersionOf(principal), () =>
          useCases.listCollections(principal, null),
        );
      const limit = query.limit ?? pageLimitDefault;
      // One more than the page size, to see whether there is a next page.
      const requestedPage = isCompleteList ? null : { limit: limit + 1, after };
      const collections = await useCases.listCollections(principal, requestedPage, containing, tag);
      const { page, last } = isCompleteList ? { page: collections, last: undefined } : pageOf(collections, limit);
      const total = query.include_total ? await useCases.countCollections(principal, containing, tag) : null;
      const response = createListPageResponse(request, page, await readExtras(useCases, principal, include, page));
      return {
        ...response,
        headers: { ...response.headers, ...createPageHeaders(request, last && cursorOf(last), total) },
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/summary',
    operation: 'readCollectionSummary',
    summary: "Read a collection's summary",
    description:
      'Omits the document and the stored credential. Reading the summary does not count as a use and is not audited.',
    params: collectionParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    isConditional: true,
    response: summary,
    errors: ['no_access', 'collection_not_found'],
    handler: ({ caller: { principal }, request }) => {
      const collection = requireReadableTarget(principal);
      const etag = summaryEtagOf(collection);
      const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
      return matchesIfNoneMatch(request.headers['if-none-match'], etag)
        ? createNotModifiedResponse(headers)
        : toJsonResponse(toSummaryView(collection), headers);
    },
  }),
] as const;
