import { approvalsMax, suspensionReasonMax, type ApprovalOutcome } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { expiryTimeOrNull, optional, text } from '../requests/fields.ts';
import { profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { fullProfile, toFullProfileView } from './profile-views.ts';
import { resolveProfileId } from './profile-path.ts';
import { profileParameter, uuid } from './wire.ts';

const suspension = z
  .object({
    reason: optional(text({ max: suspensionReasonMax })).meta({
      description: 'The reason, which is recorded in the audit log.',
      examples: ['Left the company.'],
    }),
  })
  .meta({ id: 'Suspension' });

const keyExpiry = z
  .object({
    expires_at: expiryTimeOrNull.meta({
      description:
        'When all secrets of the key expire. A date without a time is the last day, in UTC; null if they never expire.',
      examples: ['2026-12-31'],
    }),
  })
  .meta({ id: 'KeyExpiry' });

const approvals = z
  .object({
    profiles: z
      .array(profileReference)
      .min(1, { error: 'must name at least one' })
      .max(approvalsMax, {
        error: ({ input }) =>
          `names ${(input as readonly unknown[]).length}, at most ${approvalsMax} can be approved per request`,
      })
      .meta({ examples: [['alice@example.com']] }),
  })
  .meta({ id: 'ManyApprovals' });

const results = ['approved', 'already_approved', 'already_rejected', 'not_found', 'failed'] as const;
const approvalOutcomes = z
  .object({
    ...(Object.fromEntries(results.map((result) => [result, z.int()])) as Record<(typeof results)[number], z.ZodInt>),
    outcomes: z.array(
      z.object({
        outcome: z.enum(results).meta({ description: '`failed`: the registration was not approved; try again.' }),
        profile_id: uuid.nullable(),
        email: z
          .string()
          .meta({ description: 'The email address of the profile; the requested name if there is no such profile.' }),
        client_id: uuid.optional().meta({ description: 'Present if the registration was approved.' }),
        client_secret: z
          .string()
          .optional()
          .meta({ description: 'Present if the registration was approved; it cannot be retrieved later.' }),
      }),
    ),
  })
  .meta({ id: 'ApprovalOutcomes' });

export const approvalRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/profiles/approve',
    operation: 'approveMany',
    summary: 'Approve many registrations',
    description:
      'Approves at most 50 registrations, by id or email address, and returns an outcome for each. Each approved user gets an API key pair, which is returned only in ' +
      'this response and sent by email to the user.',
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: approvals,
    status: 200,
    response: approvalOutcomes,
    handler: async ({ useCases, caller, body: { fields } }) =>
      toJsonResponse(toApprovalsView(await useCases.approveMany(caller.authority, fields.profiles))),
  }),
] as const;

export const profileStatusRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/suspend',
    operation: 'suspendProfile',
    summary: 'Suspend a profile',
    description:
      'As of the next request, tokens and the key of the profile are rejected like those of an unknown profile. The data is ' +
      'kept. The body is optional. The last admin who can sign in cannot be suspended.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: suspension,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'already_suspended', 'last_admin'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = await resolveProfileId(useCases, caller.authority, params.user_id);
      const profile = await useCases.suspendProfile(caller.authority, id, fields.reason ?? null);
      return toJsonResponse(toFullProfileView(profile, ['suspension']));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/reopen',
    operation: 'reopenRegistration',
    summary: 'Reopen a registration',
    description:
      'The registration is pending again and keeps its grants. Then approve it if it was rejected by mistake.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'already_approved', 'not_rejected'],
    handler: async ({ useCases, caller, params }) => {
      const id = await resolveProfileId(useCases, caller.authority, params.user_id);
      return toJsonResponse(toFullProfileView(await useCases.reopenRegistration(caller.authority, id), []));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/resume',
    operation: 'resumeProfile',
    summary: 'Resume a suspended profile',
    description: 'Restores the role, grants, groups and key of the profile.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'not_suspended'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(
        toFullProfileView(
          await useCases.resumeProfile(
            caller.authority,
            await resolveProfileId(useCases, caller.authority, params.user_id),
          ),
          ['suspension'],
        ),
      ),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/:user_id/credentials',
    operation: 'changeKeyExpiry',
    summary: "Change when a client's API key expires",
    description: 'The secret does not change. If the client rotates the key, the expiry is kept.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: keyExpiry,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'not_approved', 'has_no_key', 'has_no_key_yet'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = await resolveProfileId(useCases, caller.authority, params.user_id);
      const profile = await useCases.changeKeyExpiry(caller.authority, id, fields.expires_at);
      return toJsonResponse(toFullProfileView(profile, ['key'], { use: null, keyExpiresAt: fields.expires_at }));
    },
  }),
] as const;

const toApprovalsView = (outcomes: readonly ApprovalOutcome[]): z.input<typeof approvalOutcomes> => {
  const counts = { approved: 0, already_approved: 0, already_rejected: 0, not_found: 0, failed: 0 };
  for (const { result } of outcomes) counts[result] += 1;
  return {
    ...counts,
    outcomes: outcomes.map(({ result, id, name, credentials }) => ({
      outcome: result,
      profile_id: id,
      email: name,
      ...(credentials ? { client_id: credentials.clientId, client_secret: credentials.secret } : {}),
    })),
  };
};
