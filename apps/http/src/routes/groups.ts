import { groupDescriptionMax, groupNameMax, groupPair, rejectPastExpiry, tierNameMax, toIso } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { clearable, expiryTime, expiryTimeOrNull, optional, plainName, removable, text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { memberPageDefault, memberRoutes } from './group-members.ts';
import { groupOf } from './group-path.ts';
import {
  group,
  groupCollection,
  groupCollectionView,
  groupGrant,
  groupMemberView,
  groupView,
  listedGroup,
  listedGroupView,
  wholeGroup,
} from './group-views.ts';
import { collectionsAfter, cursor, cursorOf } from './list-cursor.ts';
import {
  pageFrom,
  includeTotal,
  pageHeaders,
  pageLimit,
  pageLimitDefault,
  pageOf,
  textCursor,
  textCursorOf,
} from './paging.ts';
import { collectionIdOf, collectionParameter, groupParameter, isoOrNull, message } from './wire.ts';

const name = plainName({ max: groupNameMax }).meta({
  description: "Unique. Must match the identity provider's group name exactly (`IDENTITY_GROUPS_CLAIM`).",
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
    description: clearable(description).meta({ description: 'null or an empty string removes it.' }),
    tier: removable(tier).meta({ description: 'null removes it.', examples: ['gold'] }),
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
      description: 'When it expires; a date alone is its last day, in UTC. Never by default.',
      ...expiryExample,
    }),
  })
  .meta({ id: 'GroupGrantEnd' });
const grantChange = z
  .object({
    expires_at: expiryTimeOrNull.meta({ description: 'As when granting; null for never.', ...expiryExample }),
  })
  .meta({ id: 'GroupGrantChange' });

const listing = z.object({
  q: text({ max: groupNameMax })
    .optional()
    .meta({ description: 'Only groups whose name contains this, ignoring case.', examples: ['payments'] }),
  limit: pageLimit,
  cursor: textCursor,
  include_total: includeTotal,
});

const collectionListing = z.object({
  limit: pageLimit,
  cursor: cursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
  include_total: includeTotal,
});

const pair = { ...groupParameter, ...collectionParameter };

const groupRows = [
  defineRoute({
    method: 'POST',
    path: '/api/groups',
    operation: 'createGroup',
    summary: 'Create a group',
    description: 'A grant of the group is a grant of each member. Users with the group in their newest token join now.',
    auth: 'admin',
    scope: 'access:write',
    scopedParts,
    bodyKind: 'json',
    body: creation,
    status: 201,
    supplies: { group_id: '$response.body#/id' },
    response: group,
    errors: ['group_taken', 'tier_not_found'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const input = { name: fields.name, description: fields.description ?? '', tier: fields.tier ?? null };
      return json(groupView(await useCases.createGroup(caller.authority, input)));
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
    query: listing,
    status: 200,
    supplies: { group_id: '$response.body#/0/id' },
    response: z.array(listedGroup),
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const { q: containing = null, cursor: after = null } = query;
      const limit = query.limit ?? (after === null ? null : pageLimitDefault);
      // One more than the page size, to see whether there is a next page.
      const groups = await useCases.listGroups(authority, { containing, after, limit: limit && limit + 1 });
      const { page, last } = pageOf(groups, limit ?? groups.length);
      const total = query.include_total ? await useCases.countGroups(authority, containing) : null;
      return json(page.map(listedGroupView), pageHeaders(request, last && textCursorOf(last.name), total));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id',
    operation: 'readGroup',
    summary: 'Read a group with its members and collections',
    description: 'Shows the first 1,000 members; the list of members has all.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: wholeGroup,
    errors: ['group_not_found'],
    handler: async (context) => {
      const id = await groupOf(context);
      const { useCases, caller } = context;
      const details = await useCases.readGroup(caller.authority, id);
      const members = await useCases.listMembers(caller.authority, id);
      const collections = await useCases.listGroupCollections(caller.authority, id);
      return json({
        ...listedGroupView(details),
        members: members.slice(0, memberPageDefault).map(groupMemberView),
        collections: collections.map(groupCollectionView),
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id',
    operation: 'updateGroup',
    summary: 'Change a group',
    description: 'Absent fields keep their value. A new name also changes the members by claim, with the next request.',
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
      return json(groupView(await useCases.updateGroup(caller.authority, await groupOf(context), edit)));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id',
    operation: 'removeGroup',
    summary: 'Delete a group',
    description: 'Its members lose access that only it gave, with the next request.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found'],
    handler: async (context) => {
      await context.useCases.removeGroup(context.caller.authority, await groupOf(context));
      return json({ message: 'Group deleted' });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id/tier',
    operation: 'assignGroupTier',
    summary: 'Assign a rate-limit tier to a group',
    description:
      'For members without an active tier of their own; with several groups, the highest tier applies. `null` removes it.',
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
      return json(groupView(await useCases.updateGroup(caller.authority, await groupOf(context), edit)));
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
    query: collectionListing,
    response: z.array(groupCollection),
    errors: ['group_not_found'],
    handler: async (context) => {
      const collections = await context.useCases.listGroupCollections(context.caller.authority, await groupOf(context));
      const { page, last, total } = pageFrom(collections, collectionsAfter, context.query);
      return json(page.map(groupCollectionView), pageHeaders(context.request, last && cursorOf(last), total));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'grantGroup',
    summary: 'Grant a group access to a collection',
    description: 'Each member has access with the next request. The body is optional.',
    params: pair,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: grantExpiry,
    status: 201,
    response: groupGrant,
    errors: ['group_not_found', 'collection_not_found', 'already_granted'],
    handler: async (context) => {
      const { useCases, caller, params, body } = context;
      const expiresAt = body.fields.expires_at ?? null;
      rejectPastExpiry(expiresAt, caller.principal.readAt);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const granted = await useCases.grantAccess(caller.authority, groupPair(id, collection), expiresAt);
      return json({
        message: 'Access granted',
        group_id: id,
        collection_id: collection,
        granted_at: toIso(granted.grantedAt),
        expires_at: isoOrNull(granted.expiresAt),
      });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'changeGroupGrant',
    summary: "Change the expiry of a group's access",
    description: 'Takes effect with the next request.',
    params: pair,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: grantChange,
    status: 200,
    response: groupGrant,
    errors: ['group_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async (context) => {
      const { useCases, caller, params, body } = context;
      const expiresAt = body.fields.expires_at;
      rejectPastExpiry(expiresAt, caller.principal.readAt);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const granted = await useCases.changeExpiry(caller.authority, groupPair(id, collection), body.fields.expires_at);
      return json({
        message: 'Access changed',
        group_id: id,
        collection_id: collection,
        granted_at: toIso(granted.grantedAt),
        expires_at: isoOrNull(granted.expiresAt),
      });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id/collections/:collection_id',
    operation: 'revokeGroup',
    summary: "Revoke a group's access to a collection",
    description: "Takes effect with the next request; a member's other grants stay.",
    params: pair,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const pairOf = groupPair(await groupOf(context), collectionIdOf(params.collection_id));
      await useCases.revokeAccess(caller.authority, pairOf);
      return json({ message: 'Access revoked' });
    },
  }),
] as const;

export const groupRoutes = [...groupRows, ...memberRoutes, ...collectionRows] as const;
