import { isAdmin, requireReadableTarget } from '@portico/domain';
import { z } from 'zod';
import { numberParameter } from '../requests/fields.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { createDocumentResponse, ifMatchConditionOf } from './collection-responses.ts';
import { document, toUpdatedCollectionView, updatedCollection } from './collection-views.ts';
import { createPageHeaders, includeTotal, pageLimitDefault, pageOf } from './paging.ts';
import { difference, revision, toDifferenceView, toRevisionView } from './revision-views.ts';
import { collectionIdOf, collectionParameter } from './wire.ts';

/** The largest number of a revision: a 32-bit integer. */
const numberMax = 2_147_483_647;

const revisionParameters = {
  ...collectionParameter,
  revision: {
    description: 'The `number` of the revision.',
    schema: { type: 'integer', minimum: 1, maximum: numberMax },
    example: 1,
  },
} as const;

/** Returns null for a text that is not the number of any revision. */
const numberOf = (text: string | undefined): number | null =>
  /^[1-9]\d{0,9}$/.test(text ?? '') && Number(text) <= numberMax ? Number(text) : null;

const listQuery = z.object({
  limit: numberParameter(1, 1_000).default(pageLimitDefault).meta({ description: 'The page size.' }),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'was not issued by this service' })
    .transform(Number)
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
});

const differenceQuery = z.object({
  from: numberParameter(1, numberMax)
    .optional()
    .meta({ description: 'The number of the earlier revision; the one before `to` by default.' }),
  to: numberParameter(1, numberMax)
    .optional()
    .meta({ description: 'The number of the later revision; the current one by default.' }),
});

const readErrors = ['no_access', 'collection_not_found', 'revision_not_found'] as const;

export const revisionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/revisions',
    operation: 'listRevisions',
    summary: 'List the revisions of a collection',
    description:
      'Each document that the collection has or had, newest first. The newest 50 are retained, and those of the last 400 ' +
      'days, unless the service is configured otherwise.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    query: listQuery,
    status: 200,
    response: z.array(revision),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller: { principal }, params, query, request }) => {
      const id = collectionIdOf(params.collection_id);
      const { limit, cursor: before = null } = query;
      // One more than the page size, to see whether there is a next page.
      const revisions = await useCases.listRevisions(principal, id, { limit: limit + 1, before });
      const { page, last } = pageOf(revisions, limit);
      const total = query.include_total ? await useCases.countRevisions(principal, id) : null;
      const showsActor = isAdmin(principal.profile);
      return toJsonResponse(
        page.map((line) => toRevisionView(line, showsActor)),
        createPageHeaders(request, last && `${last.number}`, total),
      );
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/revisions/:revision',
    operation: 'readRevision',
    summary: 'Read a revision of a collection',
    description: 'Its time, its origin, and the number of changes; the document is in `openapi.json` below it.',
    params: revisionParameters,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    response: revision,
    errors: readErrors,
    handler: async ({ useCases, caller: { principal }, params }) => {
      const id = collectionIdOf(params.collection_id);
      const line = await useCases.readRevision(principal, id, numberOf(params.revision));
      return toJsonResponse(toRevisionView(line, isAdmin(principal.profile)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/revisions/:revision/openapi.json',
    operation: 'readRevisionDocument',
    summary: 'Read the document of a revision',
    description: 'The text is returned as it was stored. With `If-None-Match`, it is returned only if it has changed.',
    params: revisionParameters,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    isConditional: true,
    response: document,
    errors: readErrors,
    handler: async ({ useCases, caller: { principal }, params, request }) => {
      const { id } = requireReadableTarget(principal);
      const { number, digest } = await useCases.readRevision(principal, id, numberOf(params.revision));
      const response = await createDocumentResponse(request, digest, () =>
        useCases.readRevisionText(principal, id, number),
      );
      useCases.countUse(principal, 'read', id);
      return response;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/diff',
    operation: 'compareRevisions',
    summary: 'Compare two revisions of a collection',
    description:
      'By default, the current document with the previous one. Each caller can have one comparison running and two waiting; ' +
      'any more are rejected with 429.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    query: differenceQuery,
    status: 200,
    response: difference,
    errors: [...readErrors, 'not_comparable'],
    handler: async ({ useCases, caller, params, query: { from = null, to = null } }) => {
      const id = collectionIdOf(params.collection_id);
      return toJsonResponse(toDifferenceView(await useCases.compareRevisions(caller.principal, id, { from, to })));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/collections/:collection_id/revisions/:revision/restore',
    operation: 'restoreRevision',
    summary: 'Restore the document of a revision',
    description:
      'Changes the collection as `PUT` does with this document, which becomes a new revision. With `If-Match`, the collection is ' +
      'changed only if it is still in the state that was read.',
    params: revisionParameters,
    auth: 'admin',
    scope: 'catalog:write',
    status: 200,
    supportsIfMatch: true,
    response: updatedCollection,
    errors: ['collection_not_found', 'revision_not_found'],
    handler: async ({ useCases, caller, params, request }) => {
      const id = collectionIdOf(params.collection_id);
      const { collection, documentChange } = await useCases.restoreRevision(
        caller.authority,
        id,
        numberOf(params.revision),
        ifMatchConditionOf(request),
      );
      return toJsonResponse(toUpdatedCollectionView(collection, null, documentChange));
    },
  }),
] as const;
