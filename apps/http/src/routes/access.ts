import { toClientPair, toIso, type ClientAccess, type CollectionAccess, type Grant, type Pair } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { booleanParameter, expiryTime, optional, wordsParameter } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { accessWay, expiresAt, toAccessWaysView } from './access-ways.ts';
import {
  changedRuleFields,
  grantChange,
  grantChangeDescription,
  ruleScopes,
  ruleToReview,
  toChangedRuleView,
  toGrantEdit,
} from './grant-rules.ts';
import { filterCollectionsAfter, cursor, cursorOf } from './list-cursor.ts';
import { pageFrom, includeTotal, createPageHeaders, pageLimit, textCursor, textCursorOf } from './paging.ts';
import {
  clientParameter,
  collectionIdOf,
  collectionParameter,
  toIsoOrNull,
  message,
  profileIdOf,
  timestamp,
  uuid,
} from './wire.ts';

const collectionAccess = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string(),
    has_access: z.boolean(),
    granted_at: timestamp.nullable(),
    via: z
      .array(accessWay)
      .optional()
      .meta({ description: 'All grants that give the client access; present with `?granted=true`.' }),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'CollectionAccess' });
const grant = z
  .object({
    message: z.string(),
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    collection_id: uuid,
    granted_at: timestamp,
    expires_at: expiresAt.optional(),
    ...changedRuleFields,
  })
  .meta({ id: 'Grant' });
const newGrant = z
  .object({
    expires_at: optional(expiryTime).meta({
      description:
        'When the grant expires. A date without a time is the last day, in UTC. If absent, the grant never expires.',
      examples: ['2026-12-31'],
    }),
  })
  .meta({ id: 'NewGrant' });
const clientAccess = z
  .object({
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    email: z.string(),
    full_name: z.string(),
    company_name: z.string().nullable(),
    granted_at: timestamp,
    via: z
      .array(accessWay)
      .optional()
      .meta({ description: 'All grants that give the client access; present with `?include=ways`.' }),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'ClientAccess' });

const pairParameters = { ...clientParameter, ...collectionParameter };
const collectionPaging = {
  limit: pageLimit,
  cursor: cursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
};

/** Returns the clients after an email address. UTF-8 bytes sort by code point, like the list. */
const filterClientsAfter = (list: readonly ClientAccess[], email: string | null): readonly ClientAccess[] =>
  email === null
    ? list
    : list.filter(({ profile }) => Buffer.compare(Buffer.from(profile.email), Buffer.from(email)) > 0);

export const accessRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/access/clients/:client_profile_id/collections',
    operation: 'listClientAccess',
    summary: 'List all collections, and whether a client has access to each',
    description:
      'Sorted by name, ignoring case. `granted_at` is null if the client has no access. With `?granted=true`, lists only granted collections, ' +
      'and how and until when they are granted.',
    params: clientParameter,
    auth: 'admin',
    scope: 'access:read',
    query: z.object({
      granted: booleanParameter.default(false).meta({ description: 'Whether to list only granted collections.' }),
      ...collectionPaging,
    }),
    status: 200,
    response: z.array(collectionAccess),
    errors: ['client_not_found'],
    handler: async ({ useCases, caller, params, query, request }) => {
      const collections = await useCases.listClientAccess(caller.authority, profileIdOf(params.client_profile_id));
      const listedCollections = query.granted ? collections.filter(({ grants }) => grants.length > 0) : collections;
      const { page, last, total } = pageFrom(listedCollections, filterCollectionsAfter, query);
      const views = query.granted
        ? page.map((access) => ({ ...toCollectionAccessView(access), ...toAccessWaysView(access.grants) }))
        : page.map(toCollectionAccessView);
      return toJsonResponse(views, createPageHeaders(request, last && cursorOf(last), total));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/access/clients/:client_profile_id/collections/:collection_id',
    operation: 'grantAccess',
    summary: 'Grant a client access to a collection',
    description:
      'Takes effect as of the next request, also for a profile that is pending approval. A rejected profile still sees nothing. The ' +
      'body is optional.',
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: newGrant,
    status: 201,
    linkParameters: { client_profile_id: '$response.body#/client_id', collection_id: '$response.body#/collection_id' },
    response: grant,
    errors: ['client_not_found', 'collection_not_found', 'already_granted', 'collection_retired'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const pair = pairOf(params);
      const createdGrant = await useCases.grantAccess(caller.authority, pair, fields.expires_at ?? null);
      return toJsonResponse({
        ...toGrantView('Access granted', pair, createdGrant),
        ...(createdGrant.expiresAt === null ? {} : { expires_at: toIso(createdGrant.expiresAt) }),
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/access/clients/:client_profile_id/collections/:collection_id',
    operation: 'changeGrant',
    summary: "Change a client's grant of a collection",
    description: `Takes effect as of the next request. Changes the direct grant of the client, not the grants of its groups. ${grantChangeDescription}`,
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    scopedParts: ruleScopes,
    bodyKind: 'json',
    body: grantChange,
    status: 200,
    response: grant,
    errors: ['client_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const pair = pairOf(params);
      const changedGrant = await useCases.changeGrant(caller.authority, pair, toGrantEdit(fields));
      const review = await useCases.reviewReadOnly(
        caller.authority,
        pair.collection,
        ruleToReview(fields, changedGrant),
      );
      return toJsonResponse({
        ...toGrantView('Access changed', pair, changedGrant),
        expires_at: toIsoOrNull(changedGrant.expiresAt),
        ...toChangedRuleView(changedGrant, review),
      });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/clients/:client_profile_id/collections/:collection_id',
    operation: 'revokeAccess',
    summary: "Revoke a client's access to a collection",
    description: 'Takes effect as of the next request.',
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['client_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.revokeAccess(caller.authority, pairOf(params));
      return toJsonResponse({ message: 'Access revoked' });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/access/collections/:collection_id/clients',
    operation: 'listCollectionClients',
    summary: 'List the clients with access to a collection',
    description: 'Sorted by email.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'access:read',
    query: z.object({
      include: wordsParameter(['ways'])
        .optional()
        .meta({ description: '`ways` adds how and until when each client has access.' }),
      limit: pageLimit,
      cursor: textCursor,
      include_total: includeTotal,
    }),
    status: 200,
    response: z.array(clientAccess),
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, query, request }) => {
      const clients = await useCases.listCollectionClients(caller.authority, collectionIdOf(params.collection_id));
      const { page, last, total } = pageFrom(clients, filterClientsAfter, query);
      const views = query.include
        ? page.map((access) => ({ ...toClientAccessView(access), ...toAccessWaysView(access.grants) }))
        : page.map(toClientAccessView);
      return toJsonResponse(views, createPageHeaders(request, last && textCursorOf(last.profile.email), total));
    },
  }),
] as const;

const pairOf = (params: Readonly<Record<string, string>>): Pair =>
  toClientPair(profileIdOf(params.client_profile_id), collectionIdOf(params.collection_id));

const toGrantView = (text: string, { grantee, collection }: Pair, { grantedAt }: Grant) => ({
  message: text,
  client_id: grantee.id,
  collection_id: collection,
  granted_at: toIso(grantedAt),
});

const toCollectionAccessView = ({
  id,
  name,
  description,
  grants,
}: CollectionAccess): z.input<typeof collectionAccess> => ({
  id,
  name,
  description,
  has_access: grants.length > 0,
  granted_at: toIsoOrNull(grants[0]?.grantedAt ?? null),
});

const toClientAccessView = ({ profile, grants }: ClientAccess): z.input<typeof clientAccess> => ({
  client_id: profile.id,
  email: profile.email,
  full_name: profile.fullName,
  company_name: profile.companyName,
  granted_at: toIso(grants[0].grantedAt),
});
