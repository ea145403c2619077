import { groupDescriptionMax, groupNameMax, toGroupPair, rejectPastExpiry, tierNameMax, toIso } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { clearable, expiryTime, optional, plainName, removable, text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { memberPageDefault, memberRoutes } from './group-members.ts';
import { groupOf } from './group-path.ts';
import {
  grantChange,
  grantChangeDescription,
  ruleScopes,
  ruleToReview,
  toChangedRuleView,
  toGrantEdit,
} from './grant-rules.ts';
import {
  group,
  groupCollection,
  toGroupCollectionView,
  groupGrant,
  toGroupMemberView,
  toGroupView,
  listedGroup,
  toListedGroupView,
  groupDetails,
} from './group-views.ts';
import { filterCollectionsAfter, cursor, cursorOf } from './list-cursor.ts';
import {
  pageFrom,
  includeTotal,
  createPageHeaders,
  pageLimit,
  pageLimitDefault,
  pageOf,
  textCursor,
  textCursorOf,
} from './paging.ts';
import { collectionIdOf, collectionParameter, groupParameter, toIsoOrNull, message } from './wire.ts';

const name = plainName({ max: groupNameMax }).meta({
  description:
    'The unique name. For members by claim (`IDENTITY_GROUPS_CLAIM`), it must be exactly the name of the group at the identity provider.',
  examples: ['Payments team'],
});
const description = text({ max: groupDescriptionMax });
const tier = text({ max: tierNameMax });

const creation = z
  .object({ name, description: optional(description), tier: optional(tier).meta({ examples: ['gold'] }) })
  .meta({ id: 'GroupCreation' });
const change = z
  .object({
    name: optional(name),
    description: clearable(description).meta({ description: 'null or an empty string removes the value.' }),
    tier: removable(tier).meta({ description: 'null removes the tier.', examples: ['gold'] }),
  })
  .meta({ id: 'GroupChange' });
const tierChange = z
  .object({
    tier: z.union([tier, z.null()], { error: 'must be the name of a tier, or null' }).meta({ examples: ['gold'] }),
  })
  .meta({ id: 'GroupTier' });

/** Setting a tier needs the same scope as elsewhere. */
const scopedParts = [{ member: 'tier', scope: 'limits:write' }] as const;

/** The expiry in examples, which is always in the future. */
const expiryExample = { examples: ['2099-12-31T23:59:59Z'] };

const grantExpiry = z
  .object({
    expires_at: optional(expiryTime).meta({
      description:
        'When the grant expires. A date without a time is the last day, in UTC. If absent, the grant never expires.',
      ...expiryExample,
    }),
  })
  .meta({ id: 'GroupGrantEnd' });
const listQuery = z.object({
  q: text({ max: groupNameMax })
    .optional()
    .meta({ description: 'Only groups whose name contains this, ignoring case.', examples: ['payments'] }),
  limit: pageLimit,
  cursor: textCursor,
  include_total: includeTotal,
});

const collectionListQuery = z.object({
  limit: pageLimit,
  cursor: cursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
});

const pairParameters = { ...groupParameter, ...collectionParameter };

const groupRows = [
  defineRoute({
    method: 'POST',
    path: '/api/groups',
    operation: 'createGroup',
    summary: 'Create a group',
    description:
      'Each member has the grants of the group. Users whose newest token contains the group become members immediately.',
    auth: 'admin',
    scope: 'access:write',
    scopedParts,
    bodyKind: 'json',
    body: creation,
    status: 201,
    linkParameters: { group_id: '$response.body#/id' },
    response: group,
    errors: ['group_taken', 'tier_not_found'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const input = { name: fields.name, description: fields.description ?? '', tier: fields.tier ?? null };
      return toJsonResponse(toGroupView(await useCases.createGroup(caller.authority, input)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/groups',
    operation: 'listGroups',
    summary: 'List all groups',
    description: 'Sorted by name. Paginated with `limit` or `cursor`: the `Link` header has the next page.',
    auth: 'admin',
    scope: 'access:read',
    query: listQuery,
    status: 200,
    linkParameters: { group_id: '$response.body#/0/id' },
    response: z.array(listedGroup),
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const { q: containing = null, cursor: after = null } = query;
      const limit = query.limit ?? (after === null ? null : pageLimitDefault);
      // One more than the page size, to see whether there is a next page.
      const groups = await useCases.listGroups(authority, { containing, after, limit: limit && limit + 1 });
      const { page, last } = pageOf(groups, limit ?? groups.length);
      const total = query.include_total ? await useCases.countGroups(authority, containing) : null;
      return toJsonResponse(
        page.map(toListedGroupView),
        createPageHeaders(request, last && textCursorOf(last.name), total),
      );
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id',
    operation: 'readGroup',
    summary: 'Read a group with its members and collections',
    description: 'Returns the first 1,000 members. To read all members, list the members of the group.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: groupDetails,
    errors: ['group_not_found'],
    handler: async (context) => {
      const id = await groupOf(context);
      const { useCases, caller } = context;
      const details = await useCases.readGroup(caller.authority, id);
      const members = await useCases.listMembers(caller.authority, id);
      const collections = await useCases.listGroupCollections(caller.authority, id);
      return toJsonResponse({
        ...toListedGroupView(details),
        members: members.slice(0, memberPageDefault).map(toGroupMemberView),
        collections: collections.map(toGroupCollectionView),
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id',
    operation: 'updateGroup',
    summary: 'Change a group',
    description:
      'Absent fields keep their value. A new name also changes the members by claim; this takes effect as of the next request.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
    scopedParts,
    bodyKind: 'json',
    body: change,
    status: 200,
    response: group,
    errors: ['group_not_found', 'group_taken', 'tier_not_found'],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const { name, description, tier } = body.fields;
      const edit = { name: name ?? undefined, description: description === null ? '' : description, tier };
      return toJsonResponse(toGroupView(await useCases.updateGroup(caller.authority, await groupOf(context), edit)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id',
    operation: 'removeGroup',
    summary: 'Delete a group',
    description: 'As of the next request, the members no longer have the access that only this group gave them.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found'],
    handler: async (context) => {
      await context.useCases.removeGroup(context.caller.authority, await groupOf(context));
      return toJsonResponse({ message: 'Group deleted' });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id/tier',
    operation: 'assignGroupTier',
    summary: 'Assign a rate-limit tier to a group',
    description:
      'Applies to members without an active tier of their own. For a member of several groups, the highest tier applies. `null` removes the tier.',
    params: groupParameter,
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: tierChange,
    status: 200,
    response: group,
    errors: ['group_not_found', 'tier_not_found'],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const edit = { tier: body.fields.tier };
      return toJsonResponse(toGroupView(await useCases.updateGroup(caller.authority, await groupOf(context), edit)));
    },
  }),
] as const;

const collectionRows = [
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id/collections',
    operation: 'listGroupCollections',
    summary: 'List the collections of a group',
    description: 'Sorted by name, ignoring case.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    query: collectionListQuery,
    response: z.array(groupCollection),
    errors: ['group_not_found'],
    handler: async (context) => {
      const collections = await context.useCases.listGroupCollections(context.caller.authority, await groupOf(context));
      const { page, last, total } = pageFrom(collections, filterCollectionsAfter, context.query);
      return toJsonResponse(
        page.map(toGroupCollectionView),
        createPageHeaders(context.request, last && cursorOf(last), total),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'grantGroup',
    summary: 'Grant a group access to a collection',
    description: 'As of the next request, each member has access. The body is optional.',
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: grantExpiry,
    status: 201,
    response: groupGrant,
    errors: ['group_not_found', 'collection_not_found', 'already_granted', 'collection_retired'],
    handler: async (context) => {
      const { useCases, caller, params, body } = context;
      const expiresAt = body.fields.expires_at ?? null;
      rejectPastExpiry(expiresAt, caller.principal.readAt);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const grant = await useCases.grantAccess(caller.authority, toGroupPair(id, collection), expiresAt);
      return toJsonResponse({
        message: 'Access granted',
        group_id: id,
        collection_id: collection,
        granted_at: toIso(grant.grantedAt),
        expires_at: toIsoOrNull(grant.expiresAt),
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'changeGroupGrant',
    summary: "Change a group's grant of a collection",
    description: `Takes effect as of the next request. ${grantChangeDescription}`,
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    scopedParts: ruleScopes,
    bodyKind: 'json',
    body: grantChange,
    status: 200,
    response: groupGrant,
    errors: ['group_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async (context) => {
      const { useCases, caller, params, body } = context;
      const edit = toGrantEdit(body.fields);
      rejectPastExpiry(edit.expiresAt, caller.principal.readAt);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const grant = await useCases.changeGrant(caller.authority, toGroupPair(id, collection), edit);
      const review = await useCases.reviewReadOnly(caller.authority, collection, ruleToReview(body.fields, grant));
      return toJsonResponse({
        message: 'Access changed',
        group_id: id,
        collection_id: collection,
        granted_at: toIso(grant.grantedAt),
        expires_at: toIsoOrNull(grant.expiresAt),
        ...toChangedRuleView(grant, review),
      });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'revokeGroup',
    summary: "Revoke a group's access to a collection",
    description: 'Takes effect as of the next request. Other grants of the members are not affected.',
    params: pairParameters,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const pair = toGroupPair(await groupOf(context), collectionIdOf(params.collection_id));
      await useCases.revokeAccess(caller.authority, pair);
      return toJsonResponse({ message: 'Access revoked' });
    },
  }),
] as const;

export const groupRoutes = [...groupRows, ...memberRoutes, ...collectionRows] as const;
