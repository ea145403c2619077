import {
  emailMax,
  groupDescriptionMax,
  groupNameMax,
  groupPair,
  PorticoError,
  tierNameMax,
  toIso,
  type GroupId,
  type Instant,
  type Principal,
} from '@portico/domain';
import { z } from 'zod';
import { json } from '../answers/answer.ts';
import { clearable, line, moment, numberParameter, optional, removable, text } from '../requests/fields.ts';
import { defineRoute, type CallerFacts, type Context, type RouteRow } from '../route.ts';
import {
  group,
  groupCollection,
  groupCollectionView,
  groupGrant,
  groupMember,
  groupMemberView,
  groupView,
  howView,
  joined,
  joins,
  listedGroup,
  listedGroupView,
  outcomeView,
  ownGroup,
  ownGroupView,
  wholeGroup,
} from './group-views.ts';
import { emailCursor, emailCursorOf, membersAfter } from './member-cursor.ts';
import {
  collectionIdOf,
  collectionParameter,
  groupParameter,
  isoOrNull,
  memberParameter,
  message,
  profileIdOf,
  profileParameter,
} from './wire.ts';

const name = line({ max: groupNameMax }).meta({
  description:
    "Unique. The identity provider's names of groups are compared with it exactly (`IDENTITY_GROUPS_CLAIM`).",
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

const atOnceMax = 10_000;
const manyMembers = z
  .object({
    profiles: z
      .array(text({ max: emailMax }), { error: 'must be a list of ids or e-mails of profiles' })
      .min(1, { error: 'must have at least 1 entry' })
      .max(atOnceMax, { error: `must have at most ${atOnceMax} entries` })
      .meta({ description: 'Ids or e-mails of profiles.', examples: [['alice@example.com']] }),
  })
  .meta({ id: 'GroupMembers' });

/** In examples: always in the future. */
const endExample = { examples: ['2099-12-31T23:59:59Z'] };

const grantEnd = z
  .object({
    expires_at: optional(moment).meta({ description: 'When the grant ends; without it, never.', ...endExample }),
  })
  .meta({ id: 'GroupGrantEnd' });
const grantChange = z
  .object({
    expires_at: moment.nullable().meta({ description: 'When the grant ends; null for never.', ...endExample }),
  })
  .meta({ id: 'GroupGrantChange' });

const memberPageMax = 10_000;
const memberPageDefault = 1_000;
const memberPaging = z.object({
  limit: numberParameter(1, memberPageMax)
    .optional()
    .meta({ description: `The page size, ${memberPageDefault} by default.` }),
  cursor: emailCursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

const member = { ...groupParameter, ...memberParameter };
const pair = { ...groupParameter, ...collectionParameter };

type Found = Pick<Context<'admin', unknown, unknown>, 'useCases' | 'params'> & {
  readonly caller: CallerFacts<'admin'>;
};

/** The id of the group that the path names by its id or its name. */
const groupOf = ({ useCases, caller, params }: Found): Promise<GroupId> =>
  useCases.findGroup(caller.authority, params['group_id'] ?? '');

const refusePast = ({ readAt }: Principal, expiresAt: Instant | null): Instant | null => {
  if (expiresAt !== null && expiresAt <= readAt)
    throw new PorticoError('invalid_body', { because: 'expires_at must be in the future' });
  return expiresAt;
};

const groupRows: readonly RouteRow[] = [
  defineRoute({
    method: 'POST',
    path: '/api/groups',
    operation: 'createGroup',
    summary: 'Create a group',
    description:
      'A grant of the group is a grant of each member. Whose newest token names the group is a member at once.',
    auth: 'admin',
    scope: 'access:write',
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
    description: 'Sorted by name.',
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    supplies: { group_id: '$response.body#/0/id' },
    response: z.array(listedGroup),
    handler: async ({ useCases, caller }) => json((await useCases.listGroups(caller.authority)).map(listedGroupView)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id',
    operation: 'readGroup',
    summary: 'Read a group with its members and collections',
    description: 'Of more than 1,000 members the first are shown; the list of members has all.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: wholeGroup,
    errors: ['group_not_found'],
    handler: async (context) => {
      const id = await groupOf(context);
      const { useCases, caller } = context;
      const found = await useCases.readGroup(caller.authority, id);
      const members = await useCases.listMembers(caller.authority, id);
      const collections = await useCases.listGroupCollections(caller.authority, id);
      return json({
        ...listedGroupView(found),
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
    description:
      'Absent fields keep their value. A new name also changes who belongs to the group by claim, with the next request.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
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
    description: 'Its members lose what only the group gave them, with the next request.',
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
      'For members without an active tier of their own; of several groups the most generous tier counts. `null` removes it.',
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
];

const memberRows: readonly RouteRow[] = [
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id/members',
    operation: 'listGroupMembers',
    summary: 'List the members of a group',
    description: 'Sorted by e-mail. The `Link` header leads to the next page.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    query: memberPaging,
    status: 200,
    response: z.array(groupMember),
    errors: ['group_not_found'],
    handler: async (context) => {
      const { useCases, caller, query } = context;
      const id = await groupOf(context);
      const limit = query.limit ?? memberPageDefault;
      const found = membersAfter(await useCases.listMembers(caller.authority, id), query.cursor ?? null);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const answer = json(page.map(groupMemberView));
      if (!last) return answer;
      const next = `</api/groups/${id}/members?limit=${limit}&cursor=${emailCursorOf(last.email)}>; rel="next"`;
      return { ...answer, headers: { ...answer.headers, Link: next } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/members',
    operation: 'addGroupMembers',
    summary: 'Add many members to a group',
    description: 'By id or e-mail, in one transaction. Answers with an outcome for each, in their order.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: manyMembers,
    status: 200,
    response: joins,
    errors: ['group_not_found'],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const id = await groupOf(context);
      const outcomes = await useCases.addMembers(caller.authority, id, body.fields.profiles);
      return json({ outcomes: outcomes.map(outcomeView) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/members/:profile_id',
    operation: 'addGroupMember',
    summary: 'Add a member to a group',
    description:
      "Takes effect with the next request. An admin may be a member; a group's grants sleep for it as its own do.",
    params: member,
    auth: 'admin',
    scope: 'access:write',
    status: 201,
    response: joined,
    errors: ['group_not_found', 'user_not_found', 'already_member'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const id = await groupOf(context);
      const added = await useCases.addMember(caller.authority, id, profileIdOf(params['profile_id']));
      return json({ message: 'User added to the group', group_id: id, profile_id: added.profileId, ...howView(added) });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id/members/:profile_id',
    operation: 'removeGroupMember',
    summary: 'Remove a member from a group',
    description: 'Takes effect with the next request. Only the identity provider ends a membership by claim.',
    params: member,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found', 'user_not_found', 'member_not_found', 'member_by_claim'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const id = await groupOf(context);
      const { staysByClaim } = await useCases.removeMember(caller.authority, id, profileIdOf(params['profile_id']));
      const still = "; the identity provider's claim still puts the user into it";
      return json({ message: `User removed from the group${staysByClaim ? still : ''}` });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/profiles/:user_id/groups',
    operation: 'listProfileGroups',
    summary: 'List the groups of a profile',
    description: 'Sorted by name.',
    params: profileParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: z.array(ownGroup),
    errors: ['user_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const groups = await useCases.listProfileGroups(caller.authority, profileIdOf(params.user_id));
      return json(groups.map(ownGroupView));
    },
  }),
];

const collectionRows: readonly RouteRow[] = [
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id/collections',
    operation: 'listGroupCollections',
    summary: 'List the collections that a group has',
    description: 'Sorted by name, ignoring case.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: z.array(groupCollection),
    errors: ['group_not_found'],
    handler: async (context) => {
      const found = await context.useCases.listGroupCollections(context.caller.authority, await groupOf(context));
      return json(found.map(groupCollectionView));
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
    body: grantEnd,
    status: 201,
    response: groupGrant,
    errors: ['group_not_found', 'collection_not_found', 'already_granted'],
    handler: async (context) => {
      const { useCases, caller, params, body } = context;
      const end = refusePast(caller.principal, body.fields.expires_at ?? null);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const granted = await useCases.grantAccess(caller.authority, groupPair(id, collection), end);
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
    summary: "Change when a group's access to a collection ends",
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
      const end = refusePast(caller.principal, body.fields.expires_at);
      const [id, collection] = [await groupOf(context), collectionIdOf(params.collection_id)];
      const granted = await useCases.changeExpiry(caller.authority, groupPair(id, collection), end);
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
    description: 'Takes effect with the next request; what a member was granted otherwise stays.',
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
];

export const groupRoutes: readonly RouteRow[] = [...groupRows, ...memberRows, ...collectionRows];
