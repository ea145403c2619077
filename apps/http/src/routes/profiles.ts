import { companyNameMax, fullNameMax, graceSecondsMax, rejectionReasonMax, tierNameMax, uidMax } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
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
  changedRoleView,
  credentials,
  credentialsView,
  fullProfile,
  fullProfileView,
  ownExtras,
  ownProfile,
  ownProfileView,
  registeredProfile,
  registeredProfileView,
  updatedProfile,
  updatedProfileView,
} from './profile-views.ts';
import { profileOf } from './profile-path.ts';
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
      description: 'null or an empty string removes it.',
      examples: ['Example Ltd.'],
    }),
  })
  .meta({ id: 'OwnProfileChange' });

const rejection = z
  .object({
    reason: optional(text({ max: rejectionReasonMax })).meta({
      description: 'Goes into the notification e-mail.',
      examples: ['We could not verify your company.'],
    }),
  })
  .meta({ id: 'Rejection' });

const rotation = z
  .object({
    grace_seconds: optional(wholeNumber(0, graceSecondsMax)).meta({
      default: 0,
      description: 'How long the previous secret stays valid, in seconds.',
    }),
  })
  .meta({ id: 'Rotation' });
const rotationByAdmin = rotation
  .extend({
    expires_at: removable(expiryTime).meta({
      description:
        'When the key expires, its previous secret included; a date alone is its last day, in UTC. Without it, a previous ' +
        'expiry stays; null removes it.',
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
    description: 'As in the list of profiles; `groups` adds your groups, and how and when you joined each.',
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
      'or rejects it. A valid identity token of the same user and e-mail, if sent, binds the profile now.',
    auth: 'open',
    bodyKind: 'json',
    body: registration,
    status: 201,
    supplies: { user_id: '$response.body#/id', client_profile_id: '$response.body#/id' },
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
      return json(registeredProfileView(profile));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/profiles/me',
    operation: 'readOwnProfile',
    summary: 'Read your own profile',
    description: 'In any registration status. A valid token of a user without a profile gets a 404.',
    auth: 'token',
    scope: null,
    unregistered: 'user_not_found',
    query: ownIncludes,
    status: 200,
    response: ownProfile,
    handler: async ({ useCases, caller: { principal }, query: { include = [] } }) => {
      const use = include.includes('usage') ? await useCases.readOwnUse(principal) : null;
      const keyExpiresAt = include.includes('key') ? await useCases.readOwnKeyExpiry(principal) : null;
      const groups = include.includes('groups') ? await useCases.readOwnGroups(principal) : null;
      return json(ownProfileView(principal.profile, include, { use, keyExpiresAt }, groups));
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
    unregistered: 'user_not_found',
    bodyKind: 'json',
    body: ownChange,
    status: 200,
    response: updatedProfile,
    handler: async ({ useCases, caller, body: { fields } }) => {
      const change = { fullName: fields.full_name ?? undefined, companyName: fields.company_name };
      return json(updatedProfileView(await useCases.updateOwnProfile(caller.principal, change)));
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
    supplies: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['not_approved', 'has_no_key'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const issued = await useCases.rotateOwnCredentials(caller.principal, fields.grace_seconds ?? 0);
      return json(credentialsView('API credentials rotated', issued));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/approve',
    operation: 'approveProfile',
    summary: 'Approve a registration',
    description: 'Issues the API key pair, which is only shown here and e-mailed to the user.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    supplies: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['user_not_found', 'already_approved', 'already_rejected'],
    handler: async ({ useCases, caller, params }) => {
      const issued = await useCases.approveProfile(
        caller.authority,
        await profileOf(useCases, caller.authority, params.user_id),
      );
      return json(credentialsView('User approved', issued));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/reject',
    operation: 'rejectProfile',
    summary: 'Reject a registration',
    description: 'The body is optional. The user is notified by e-mail if mail is enabled.',
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
        await profileOf(useCases, caller.authority, params.user_id),
        fields.reason ?? null,
      );
      return json({ message: 'User rejected' });
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
    supplies: { client_id: '$response.body#/client_id' },
    response: credentials,
    errors: ['user_not_found', 'not_approved', 'has_no_key'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = await profileOf(useCases, caller.authority, params.user_id);
      const fresh = await useCases.rotateCredentials(
        caller.authority,
        id,
        fields.grace_seconds ?? 0,
        fields.expires_at,
      );
      return json(credentialsView('API credentials rotated', fresh));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/:user_id/role',
    operation: 'changeRole',
    summary: 'Promote to admin or demote to client',
    description:
      'Keys and grants are inactive while the role is `admin`. The last admin who can sign in cannot be demoted. A profile ' +
      'without a bound identity can be promoted, but returns a `warning`.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: roleChange,
    status: 200,
    response: changedRole,
    errors: ['user_not_found', 'already_rejected', 'last_admin'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      return json(
        changedRoleView(
          await useCases.changeRole(
            caller.authority,
            await profileOf(useCases, caller.authority, params.user_id),
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
        await profileOf(useCases, caller.authority, params.user_id),
        fields.tier,
      );
      return json(fullProfileView(profile, ['tier']));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/profiles/:user_id',
    operation: 'removeProfile',
    summary: 'Delete a profile',
    description: 'Irreversible. Also deletes its grants, keys, overrides and identity binding.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['user_not_found', 'last_admin'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeProfile(caller.authority, await profileOf(useCases, caller.authority, params.user_id));
      return json({ message: 'User deleted' });
    },
  }),
] as const;
