import { emailMax } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { numberParameter, text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { groupOf } from './group-path.ts';
import {
  groupMember,
  toGroupMemberView,
  toMembershipView,
  addMemberResult,
  addMembersResult,
  toOutcomeView,
  ownGroup,
  toOwnGroupView,
} from './group-views.ts';
import { emailCursor, emailCursorOf, filterMembersAfter } from './member-cursor.ts';
import { resolveProfileId } from './profile-path.ts';
import { groupParameter, memberParameter, message, profileParameter } from './wire.ts';

const membersMax = 10_000;
const memberBatch = z
  .object({
    profiles: z
      .array(text({ max: emailMax }), { error: 'must be a list of ids or email addresses of profiles' })
      .min(1, { error: 'must have at least 1 entry' })
      .max(membersMax, { error: `must have at most ${membersMax} entries` })
      .meta({ description: 'The ids or email addresses of the profiles.', examples: [['alice@example.com']] }),
  })
  .meta({ id: 'GroupMembers' });

const memberPageMax = 10_000;
export const memberPageDefault = 1_000;
const memberPaging = z.object({
  limit: numberParameter(1, memberPageMax)
    .optional()
    .meta({ description: `The page size, ${memberPageDefault} by default.` }),
  cursor: emailCursor.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

const member = { ...groupParameter, ...memberParameter };
export const memberRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/groups/:group_id/members',
    operation: 'listGroupMembers',
    summary: 'List the members of a group',
    description: 'Sorted by email address. The `Link` header has the next page.',
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
      const members = filterMembersAfter(await useCases.listMembers(caller.authority, id), query.cursor ?? null);
      const page = members.slice(0, limit);
      const last = members.length > limit ? page.at(-1) : undefined;
      const response = toJsonResponse(page.map(toGroupMemberView));
      if (!last) return response;
      const next = `</api/groups/${id}/members?limit=${limit}&cursor=${emailCursorOf(last.email)}>; rel="next"`;
      return { ...response, headers: { ...response.headers, Link: next } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/members',
    operation: 'addGroupMembers',
    summary: 'Add many members to a group',
    description:
      'Adds profiles by id or email address, in one transaction. Returns an outcome for each profile, in order.',
    params: groupParameter,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: memberBatch,
    status: 200,
    response: addMembersResult,
    errors: ['group_not_found'],
    handler: async (context) => {
      const { useCases, caller, body } = context;
      const id = await groupOf(context);
      const outcomes = await useCases.addMembers(caller.authority, id, body.fields.profiles);
      return toJsonResponse({ outcomes: outcomes.map(toOutcomeView) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/groups/:group_id/members/:profile_id',
    operation: 'addGroupMember',
    summary: 'Add a member to a group',
    description:
      'Takes effect as of the next request. Administrators may be members, but no grants apply to them, neither direct grants nor grants of groups.',
    params: member,
    auth: 'admin',
    scope: 'access:write',
    status: 201,
    response: addMemberResult,
    errors: ['group_not_found', 'user_not_found', 'already_member'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const id = await groupOf(context);
      const membership = await useCases.addMember(
        caller.authority,
        id,
        await resolveProfileId(useCases, caller.authority, params.profile_id),
      );
      return toJsonResponse({
        message: 'User added to the group',
        group_id: id,
        profile_id: membership.profileId,
        ...toMembershipView(membership),
      });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/groups/:group_id/members/:profile_id',
    operation: 'removeGroupMember',
    summary: 'Remove a member from a group',
    description:
      'Takes effect as of the next request. A membership by claim can be removed only at the identity provider.',
    params: member,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['group_not_found', 'user_not_found', 'member_not_found', 'member_by_claim'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const id = await groupOf(context);
      const { remainsByClaim } = await useCases.removeMember(
        caller.authority,
        id,
        await resolveProfileId(useCases, caller.authority, params.profile_id),
      );
      const claimNote = "; the identity provider's claim still puts the user into it";
      return toJsonResponse({ message: `User removed from the group${remainsByClaim ? claimNote : ''}` });
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
      const groups = await useCases.listProfileGroups(
        caller.authority,
        await resolveProfileId(useCases, caller.authority, params.user_id),
      );
      return toJsonResponse(groups.map(toOwnGroupView));
    },
  }),
] as const;
