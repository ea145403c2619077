import { emailMax } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { numberParameter, text } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { groupOf } from './group-path.ts';
import {
  groupMember,
  groupMemberView,
  howView,
  joined,
  joins,
  outcomeView,
  ownGroup,
  ownGroupView,
} from './group-views.ts';
import { emailCursor, emailCursorOf, membersAfter } from './member-cursor.ts';
import { profileOf } from './profile-path.ts';
import { groupParameter, memberParameter, message, profileParameter } from './wire.ts';

const membersMax = 10_000;
const manyMembers = z
  .object({
    profiles: z
      .array(text({ max: emailMax }), { error: 'must be a list of ids or e-mails of profiles' })
      .min(1, { error: 'must have at least 1 entry' })
      .max(membersMax, { error: `must have at most ${membersMax} entries` })
      .meta({ description: 'Ids or e-mails of profiles.', examples: [['alice@example.com']] }),
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
      const members = membersAfter(await useCases.listMembers(caller.authority, id), query.cursor ?? null);
      const page = members.slice(0, limit);
      const last = members.length > limit ? page.at(-1) : undefined;
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
    description: 'By id or e-mail, in one transaction. Returns an outcome for each, in order.',
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
      'Takes effect with the next request. Admins may be members, but neither own nor group grants apply to them.',
    params: member,
    auth: 'admin',
    scope: 'access:write',
    status: 201,
    response: joined,
    errors: ['group_not_found', 'user_not_found', 'already_member'],
    handler: async (context) => {
      const { useCases, caller, params } = context;
      const id = await groupOf(context);
      const added = await useCases.addMember(
        caller.authority,
        id,
        await profileOf(useCases, caller.authority, params.profile_id),
      );
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
      const { staysByClaim } = await useCases.removeMember(
        caller.authority,
        id,
        await profileOf(useCases, caller.authority, params.profile_id),
      );
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
      const groups = await useCases.listProfileGroups(
        caller.authority,
        await profileOf(useCases, caller.authority, params.user_id),
      );
      return json(groups.map(ownGroupView));
    },
  }),
] as const;
