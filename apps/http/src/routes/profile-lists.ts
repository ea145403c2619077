import { emailMax, type AdminAuthority, type Profile, type ProfileId, type UseCases } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { booleanParameter, text, wordsParameter } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import {
  createAgeCursor,
  ageCursorOf,
  includeTotal,
  createPageHeaders,
  pageLimit,
  pageLimitDefault,
  pageOf,
} from './paging.ts';
import { resolveProfileId } from './profile-path.ts';
import {
  type ExtraData,
  fullProfile,
  toFullProfileView,
  listedProfile,
  toListedProfileView,
  type ProfileExtra,
  profileExtras,
} from './profile-views.ts';
import { profileParameter } from './wire.ts';

/** The parameters that add fields that are not in the specification. */
const includes = z.object({
  include: wordsParameter(profileExtras)
    .optional()
    .meta({
      description:
        '`tier` adds the assigned rate-limit tier, `bound` whether an identity token has bound the profile, `usage` when the profile and ' +
        'its API key were last used, `key` when its API key expires, `suspension` when it was suspended.',
    }),
});
const scopedParts = [
  { parameter: 'include', word: 'tier', scope: 'limits:write' },
  { parameter: 'include', word: 'usage', scope: 'usage:read' },
] as const;
const listQuery = includes.extend({
  registration_status: z
    .enum(['pending', 'approved', 'rejected'])
    .optional()
    .meta({ description: 'Only profiles with this status.' }),
  role: z.enum(['admin', 'client']).optional().meta({ description: 'Only administrators, or only clients.' }),
  suspended: booleanParameter
    .optional()
    .meta({ description: 'Only suspended profiles, or only profiles that are not suspended.' }),
  q: text({ max: emailMax })
    .optional()
    .meta({
      description: 'Only profiles whose email address or full name contains this, ignoring case.',
      examples: ['alice'],
    }),
  order: z.enum(['oldest', 'newest']).default('oldest').meta({ description: 'The sort order.' }),
  limit: pageLimit,
  cursor: createAgeCursor<ProfileId>(),
  include_total: includeTotal,
});

export const profileListRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/profiles/',
    operation: 'listProfiles',
    summary: 'List all profiles',
    description:
      'Oldest first. Filters are combined. Paginated with `limit` or `cursor`: the `Link` header has the next page.',
    auth: 'admin',
    scope: 'access:read',
    scopedParts,
    query: listQuery,
    status: 200,
    linkParameters: { user_id: '$response.body#/0/id', client_profile_id: '$response.body#/0/id' },
    response: z.array(listedProfile),
    handler: async ({ useCases, caller: { authority }, query, request }) => {
      const { include = [], order, cursor: after = null } = query;
      const filter = {
        role: query.role ?? null,
        status: query.registration_status ?? null,
        suspended: query.suspended ?? null,
        text: query.q ?? null,
      };
      const limit = query.limit ?? (after ? pageLimitDefault : null);
      // One more than the page size, to see whether there is a next page.
      const profiles = await useCases.listProfiles(authority, filter, { order, after, limit: limit && limit + 1 });
      const { page, last } = pageOf(profiles, limit ?? profiles.length);
      const extraDataOf = await readExtraData(useCases, authority, page, include);
      const total = query.include_total ? await useCases.countProfiles(authority, filter) : null;
      return toJsonResponse(
        page.map((profile) => toListedProfileView(profile, include, extraDataOf(profile.id))),
        createPageHeaders(request, last && ageCursorOf(last), total),
      );
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/profiles/:user_id',
    operation: 'readProfile',
    summary: 'Read a profile',
    description: 'Accepts the id or email address of the profile.',
    params: profileParameter,
    auth: 'admin',
    scope: 'access:read',
    scopedParts,
    query: includes,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found'],
    handler: async ({ useCases, caller: { authority }, params, query: { include = [] } }) => {
      const profile = await useCases.readProfile(
        authority,
        await resolveProfileId(useCases, authority, params.user_id),
      );
      const extraDataOf = await readExtraData(useCases, authority, [profile], include);
      return toJsonResponse(toFullProfileView(profile, include, extraDataOf(profile.id)));
    },
  }),
] as const;

/** Reads the requested extras that are not in the profiles. */
const readExtraData = async (
  useCases: UseCases,
  authority: AdminAuthority,
  profiles: readonly Profile[],
  include: readonly ProfileExtra[],
): Promise<(id: ProfileId) => ExtraData> => {
  const uses = include.includes('usage') ? await useCases.readProfileUses(authority, profiles) : null;
  const expiries = include.includes('key') ? await useCases.readKeyExpiries(authority, profiles) : null;
  return (id) => ({ use: uses?.get(id) ?? null, keyExpiresAt: expiries?.get(id) ?? null });
};
