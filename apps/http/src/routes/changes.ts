import { type CollectionId, requireReadableTarget } from '@portico/domain';
import { z } from 'zod';
import { moment, numberParameter } from '../requests/fields.ts';
import { toJsonResponse, toReadyResponse } from '../responses/route-response.ts';
import { createCachingHeaders, entityTagOf, revalidate } from '../responses/tagged-response.ts';
import { defineRoute } from '../route.ts';
import { createChangesFeed } from './changes-feed.ts';
import { createPageHeaders, pageLimitDefault, pageOf } from './paging.ts';
import { recentRevision, toRecentView } from './revision-views.ts';
import { collectionParameter } from './wire.ts';

const cursorShape = /^(\d{1,15})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([1-9]\d{0,8})$/;

const changesQuery = z.object({
  since: moment.optional().meta({
    description: 'Only changes at this time or later. A date without a time means its first instant in UTC.',
    examples: ['2026-01-31'],
  }),
  limit: numberParameter(1, 1_000).default(pageLimitDefault).meta({ description: 'The page size.' }),
  cursor: z
    .string()
    .regex(cursorShape, { error: 'was not issued by this service' })
    .transform((text) => {
      const [, createdAt = '', id = '', number = ''] = cursorShape.exec(text) ?? [];
      return { createdAt: Number(createdAt), collectionId: id as CollectionId, number: Number(number) };
    })
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' }),
});

/** The maximum number of revisions in a feed. */
const feedEntriesMax = 50;

export const changeRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/changes',
    operation: 'listChanges',
    summary: 'List the changes of all collections',
    description: 'New and changed documents of the collections that the caller may read, newest first.',
    auth: 'token or key',
    scope: 'catalog:read',
    query: changesQuery,
    status: 200,
    linkParameters: { collection_id: '$response.body#/0/collection_id' },
    response: z.array(recentRevision),
    handler: async ({ useCases, caller, query, request }) => {
      const { limit, since, cursor: after = null } = query;
      // One more than the page size, to see whether there is a next page.
      const page = { limit: limit + 1, since: since ?? null, after };
      const { page: revisions, last } = pageOf(await useCases.listRecentRevisions(caller.principal, page), limit);
      const cursor = last && `${last.createdAt}.${last.collectionId}.${last.number}`;
      return toJsonResponse(revisions.map(toRecentView), createPageHeaders(request, cursor, null));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/changes.atom',
    operation: 'readChangesFeed',
    summary: 'Read the changes of a collection as a feed',
    description: `An Atom feed (RFC 4287) of the newest ${feedEntriesMax} revisions.`,
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    isConditional: true,
    mediaType: 'application/atom+xml',
    response: z.string(),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, service, caller: { principal }, request }) => {
      const collection = requireReadableTarget(principal);
      const revisions = await useCases.listRevisions(principal, collection.id, { limit: feedEntriesMax, before: null });
      const source = { name: service.name, baseUrl: service.readBaseUrl(request) };
      const bytes = Buffer.from(createChangesFeed(collection, revisions, source));
      const etag = entityTagOf(bytes);
      const headers = { ...createCachingHeaders(etag, 'identity'), 'Content-Type': 'application/atom+xml' };
      return revalidate(request, etag) ?? toReadyResponse(bytes, headers);
    },
  }),
] as const;
