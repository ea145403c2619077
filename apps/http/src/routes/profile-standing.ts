import { approvalsMax, suspensionReasonMax, type ApprovalOutcome } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { expiryTimeOrNull, optional, text } from '../requests/fields.ts';
import { profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { fullProfile, fullProfileView } from './profile-views.ts';
import { profileOf } from './profile-path.ts';
import { profileParameter, uuid } from './wire.ts';

const suspension = z
  .object({
    reason: optional(text({ max: suspensionReasonMax })).meta({
      description: 'Goes into the audit log.',
      examples: ['Left the company.'],
    }),
  })
  .meta({ id: 'Suspension' });

const keyExpiry = z
  .object({
    expires_at: expiryTimeOrNull.meta({
      description: 'When all secrets of the key expire. A date alone is its last day, in UTC; null for never.',
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
          `names ${(input as readonly unknown[]).length}, at most ${approvalsMax} are approved at once`,
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
        outcome: z.enum(results).meta({ description: '`failed`: it was not approved, try again.' }),
        profile_id: uuid.nullable(),
        email: z.string().meta({ description: 'If there is no such profile, the requested name.' }),
        client_id: uuid.optional().meta({ description: 'If it was approved.' }),
        client_secret: z.string().optional().meta({ description: 'Likewise; it cannot be retrieved later.' }),
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
      'At most 50, by id or e-mail, with an outcome for each. Each approved one gets an API key pair, which is shown only in ' +
      'this response and mailed to the user.',
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: approvals,
    status: 200,
    response: approvalOutcomes,
    handler: async ({ useCases, caller, body: { fields } }) =>
      json(approvalsView(await useCases.approveMany(caller.authority, fields.profiles))),
  }),
] as const;

export const standingRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/suspend',
    operation: 'suspendProfile',
    summary: 'Suspend a profile',
    description:
      'From the next request on, its token and key are rejected like those of an unknown profile. Its data is ' +
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
      const id = await profileOf(useCases, caller.authority, params.user_id);
      const profile = await useCases.suspendProfile(caller.authority, id, fields.reason ?? null);
      return json(fullProfileView(profile, ['suspension']));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/reopen',
    operation: 'reopenRegistration',
    summary: 'Reopen a registration',
    description: 'The registration is pending again, with its grants. Approve it next, if it was rejected by mistake.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'already_approved', 'not_rejected'],
    handler: async ({ useCases, caller, params }) => {
      const id = await profileOf(useCases, caller.authority, params.user_id);
      return json(fullProfileView(await useCases.reopenRegistration(caller.authority, id), []));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/profiles/:user_id/resume',
    operation: 'resumeProfile',
    summary: 'Resume a suspended profile',
    description: 'Restores its role, grants, groups and key.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'not_suspended'],
    handler: async ({ useCases, caller, params }) =>
      json(
        fullProfileView(
          await useCases.resumeProfile(caller.authority, await profileOf(useCases, caller.authority, params.user_id)),
          ['suspension'],
        ),
      ),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/profiles/:user_id/credentials',
    operation: 'changeKeyExpiry',
    summary: "Change when a client's API key expires",
    description: 'The secret stays. A rotation by the client keeps it.',
    params: profileParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: keyExpiry,
    status: 200,
    response: fullProfile,
    errors: ['user_not_found', 'not_approved', 'has_no_key', 'has_no_key_yet'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = await profileOf(useCases, caller.authority, params.user_id);
      const profile = await useCases.changeKeyExpiry(caller.authority, id, fields.expires_at);
      return json(fullProfileView(profile, ['key'], { use: null, keyExpiresAt: fields.expires_at }));
    },
  }),
] as const;

const approvalsView = (outcomes: readonly ApprovalOutcome[]): z.input<typeof approvalOutcomes> => {
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
