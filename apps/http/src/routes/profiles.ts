import { companyNameMax, fullNameMax, graceSecondsMax, rejectionReasonMax, tierNameMax, uidMax } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import {
  clearable,
  email,
  expiryTime,
  optional,
  plainName,
  removable,
  text,
  wholeNumber,
  wordsParameter,
} from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import {
  changedRole,
  toChangedRoleView,
  credentials,
  toCredentialsView,
  fullProfile,
  toFullProfileView,
  ownExtras,
  ownProfile,
  toOwnProfileView,
  registeredProfile,
  toRegisteredProfileView,
  updatedProfile,
  toUpdatedProfileView,
} from './profile-views.ts';
import { resolveProfileId } from './profile-path.ts';
import { message, profileParameter } from './wire.ts';

const fullName = plainName({ max: fullNameMax });
const companyName = plainName({ max: companyNameMax });

const registration = z
  .object({
    firebase_uid: text({ max: uidMax }).meta({
      description: "The user id issued by the identity provider (the token's `sub`).",
      examples: ['kT3vQ8xWZ1bNcR5yLmP0dHsJfGa2'],
    }),
    email,
    full_name: fullName.meta({ examples: ['Alice Example'] }),
    company_name: optional(companyName).meta({ examples: ['Example Ltd.'] }),
  })
  .meta({ id: 'Registration' });

const ownChange = z
  .object({
    full_name: optional(fullName).meta({ examples: ['Alice Example'] }),
    company_name: clearable(companyName).meta({
      description: 'null or an empty string removes the value.',
      examples: ['Example Ltd.'],
    }),
  })
  .meta({ id: 'OwnProfileChange' });

const rejection = z
  .object({
    reason: optional(text({ max: rejectionReasonMax })).meta({
      description: 'The reason, which is included in the notification email.',
      examples: ['We could not verify your company.'],
    }),
  })
  .meta({ id: 'Rejection' });

const rotation = z
  .object({
    grace_seconds: optional(wholeNumber(0, graceSecondsMax)).meta({
      default: 0,
      description: 'How long the previous secret remains valid, in seconds.',
    }),
  })
  .meta({ id: 'Rotation' });
const rotationByAdmin = rotation
  .extend({
    expires_at: removable(expiryTime).meta({
      description:
        'When the key expires, including the previous secret. A date without a time is the last day, in UTC. If absent, an existing ' +
        'expiry is kept; null removes it.',
      examples: ['2026-12-31'],
    }),
  })
  .meta({ id: 'RotationByAdmin' });

const roleChange = z
  .object({ role: z.enum(['admin', 'client']).meta({ examples: ['admin'] }) })
  .meta({ id: 'RoleChange' });
const tierChange = z
  .object({
    tier: z
      .union([text({ max: tierNameMax }), z.null()], { error: 'must be the name of a tier, or null' })
      .meta({ examples: ['gold'] }),
  })
  .meta({ id: 'TierAssignment' });

const ownIncludes = z.object({
  include: wordsParameter(ownExtras).optional().meta({
    description:
      'The same values as in the list of profiles; `groups` adds your groups, and how and when you became a member.',
  }),
});

export const profileRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/profiles/register',
    operation: 'registerProfile',
    summary: 'Register a profile',
    description:
      'Needs no credential, unless the service is configured to require a token. The profile is pending until an administrator approves ' +
      'or rejects it. If the request has a valid identity token with the same user id and email address, it also binds the profile.',
    auth: 'open',
    bodyKind: 'json',
    body: registration,
    status: 201,
    linkParameters: { user_id: '$response.body#/id', client_profile_id: '$response.body#/id' },
    response: registeredProfile,
    errors: ['email_taken', 'identity_taken', 'invalid_token', 'token_required', 'identity_unavailable'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const profile = await useCases.registerProfile(
        {
          uid: fields.firebase_uid,
          email: fields.email,
          fullName: fields.full_name,
          companyName: fields.company_name ?? null,
        },
        caller.identity,
        caller.deadline,
      );
      return toJsonResponse(toRegisteredProfileView(profile));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/profiles/me',
    operation: 'readOwnProfile',
    summary: 'Read your own profile',
    description: 'Works with any registration status. A valid token of a user without a profile results in a 404.',
    auth: 'token',
    scope: null,
    unregisteredError: 'user_not_found',
    query: ownIncludes,
    status: 200,
    response: ownProfile,
    handler: async ({ useCases, caller: { principal }, query: { include = [] } }) => {
      const use = include.includes('usage') ? await useCases.readOwnUse(principal) : null;
      const keyExpiresAt = include.includes('key') ? await useCases.readOwnKeyExpiry(principal) : null;
      const groups = include.includes('groups') ? await useCases.readOwnGroups(principal) : null;
      return toJsonResponse(toOwnProfileView(principal.profile, include, { use, keyExpiresAt }, groups));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/me',
    operation: 'updateOwnProfile',
    summary: 'Change your own name or company',
    description: 'Absent fields keep their value.',
    auth: 'token',
    scope: null,
    unregisteredError: 'user_not_found',
    bodyKind: 'json',
    body: ownChange,
    status: 200,
    response: updatedProfile,
    handler: async ({ useCases, caller, body: { fields } }) => {
      const change = { fullName: fields.full_name ?? undefined, companyName: fields.company_name };
      return toJsonResponse(toUpdatedProfileView(await useCases.updateOwnProfile(caller.principal, change)));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/me/credentials',
    operation: 'rotateOwnCredentials',
    summary: 'Replace your own API secret',
    description: 'For approved clients.',
    auth: 'token',
    scope: null,
    bodyKind: 'json',
    body: rotation,
    status: 200,
    linkParameters: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['not_approved', 'has_no_key'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const newCredentials = await useCases.rotateOwnCredentials(caller.principal, fields.grace_seconds ?? 0);
      return toJsonResponse(toCredentialsView('API credentials rotated', newCredentials));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/approve',
    operation: 'approveProfile',
    summary: 'Approve a registration',
    description: 'Issues the API key pair, which is returned only in this response and sent by email to the user.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    linkParameters: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['user_not_found', 'already_approved', 'already_rejected'],
    handler: async ({ useCases, caller, params }) => {
      const newCredentials = await useCases.approveProfile(
        caller.authority,
        await resolveProfileId(useCases, caller.authority, params.user_id),
      );
      return toJsonResponse(toCredentialsView('User approved', newCredentials));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/reject',
    operation: 'rejectProfile',
    summary: 'Reject a registration',
    description: 'The body is optional. The user is notified by email if mail is enabled.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: rejection,
    status: 200,
    response: message,
    errors: ['user_not_found', 'already_approved', 'already_rejected'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      await useCases.rejectProfile(
        caller.authority,
        await resolveProfileId(useCases, caller.authority, params.user_id),
        fields.reason ?? null,
      );
      return toJsonResponse({ message: 'User rejected' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/credentials',
    operation: 'rotateCredentials',
    summary: "Replace a client's API secret",
    description: 'The body is optional.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: rotationByAdmin,
    status: 200,
    linkParameters: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['user_not_found', 'not_approved', 'has_no_key'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = await resolveProfileId(useCases, caller.authority, params.user_id);
      const newCredentials = await useCases.rotateCredentials(
        caller.authority,
        id,
        fields.grace_seconds ?? 0,
        fields.expires_at,
      );
      return toJsonResponse(toCredentialsView('API credentials rotated', newCredentials));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/:user_id/role',
    operation: 'changeRole',
    summary: 'Promote to admin or demote to client',
    description:
      'Keys and grants are inactive while the role is `admin`. The last admin who can sign in cannot be demoted. A profile ' +
      'without a bound identity can be promoted, but the response then has a `warning`.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: roleChange,
    status: 200,
    response: changedRole,
    errors: ['user_not_found', 'already_rejected', 'last_admin'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      return toJsonResponse(
        toChangedRoleView(
          await useCases.changeRole(
            caller.authority,
            await resolveProfileId(useCases, caller.authority, params.user_id),
            fields.role,
          ),
        ),
      );
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/:user_id/tier',
    operation: 'assignTier',
    summary: 'Assign a rate-limit tier',
    description: '`null` removes the tier, so that the default limit applies.',
    params: profileParameter,
    auth: 'admin',
    scope: 'limits:write',
    bodyKind: 'json',
    body: tierChange,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'tier_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const profile = await useCases.assignTier(
        caller.authority,
        await resolveProfileId(useCases, caller.authority, params.user_id),
        fields.tier,
      );
      return toJsonResponse(toFullProfileView(profile, ['tier']));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/profiles/:user_id',
    operation: 'removeProfile',
    summary: 'Delete a profile',
    description: 'Irreversible. Also deletes the grants, keys, overrides and identity binding of the profile.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['user_not_found', 'last_admin'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeProfile(
        caller.authority,
        await resolveProfileId(useCases, caller.authority, params.user_id),
      );
      return toJsonResponse({ message: 'User deleted' });
    },
  }),
] as const;
