import {
  accountNameMax,
  graceSecondsMax,
  parseId,
  PorticoError,
  scopes,
  toIso,
  type IssuedAccount,
  type ServiceAccount,
  type ServiceAccountId,
} from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { expiryTime, optional, plainName, removable, wholeNumber } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { isoOrNull, message, timestamp, uuid } from './wire.ts';

const name = plainName({ max: accountNameMax }).meta({
  description: 'Unique, ignoring case.',
  examples: ['ci-publisher'],
});
const scopeList = z
  .array(z.enum(scopes))
  .min(1, { error: `must name at least one of ${scopes.join(', ')}` })
  .refine((list) => new Set(list).size === list.length, { error: 'must not name a scope twice' })
  .meta({
    uniqueItems: true,
    description: 'Its scopes. `write` does not imply `read`.',
    examples: [['catalog:write']],
  });
const expiry = expiryTime.meta({
  description:
    'When it expires. An ISO 8601 date-time, UTC if it has no zone; or a date alone, its last day, in UTC. It must be in the future.',
  examples: ['2999-01-31'],
});

const newAccount = z
  .object({ name, scopes: scopeList, expires_at: optional(expiry) })
  .meta({ id: 'NewServiceAccount' });
const accountChange = z
  .object({
    name: optional(name),
    scopes: optional(scopeList),
    expires_at: removable(expiry).meta({ description: 'null removes it: the account then never expires.' }),
  })
  .meta({ id: 'ServiceAccountChange' });
const rotation = z
  .object({
    grace_seconds: optional(wholeNumber(0, graceSecondsMax)).meta({
      default: 0,
      description: 'How long the previous token stays valid.',
    }),
  })
  .meta({ id: 'ServiceAccountRotation' });

const accountFields = {
  id: uuid,
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  expires_at: timestamp.nullable(),
  created_by: uuid.nullable().meta({ description: "The administrator's profile; null for the command line." }),
  created_at: timestamp,
  updated_at: timestamp,
};
const account = z.object(accountFields).meta({ id: 'ServiceAccount' });
const issued = z
  .object({
    ...accountFields,
    token: z.string().meta({
      description: 'Sent as `Authorization: Bearer …`. Shown only this once.',
      examples: ['portico_sa_…'],
    }),
  })
  .meta({ id: 'IssuedServiceAccount' });

const accountParameter = {
  account_id: {
    description: "The service account's `id`.",
    schema: { type: 'string', format: 'uuid' },
    example: '5e2b9c4d-8a1f-4e73-b6d0-1c9f3a7e5b24',
  },
} as const;

const secretHeaders = { 'Cache-Control': 'no-store' };

/**
 * The routes of service accounts, which may not create, change or see service accounts themselves, regardless of their
 * scopes.
 */
export const serviceAccountRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/service-accounts',
    operation: 'createServiceAccount',
    summary: 'Create a service account',
    description: 'A credential for a machine. Returns its token, which is shown only this once.',
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: newAccount,
    status: 201,
    supplies: { account_id: '$response.body#/id' },
    response: issued,
    errors: ['service_account_taken', 'too_many_service_accounts'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const created = await useCases.createServiceAccount(caller.authority, {
        name: fields.name,
        scopes: fields.scopes,
        expiresAt: fields.expires_at ?? null,
      });
      return json(issuedView(created), secretHeaders);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/service-accounts',
    operation: 'listServiceAccounts',
    summary: 'List the service accounts',
    description: 'Sorted by name, at most 1,000; without their tokens.',
    auth: 'admin',
    scope: null,
    status: 200,
    supplies: { account_id: '$response.body#/0/id' },
    response: z.array(account),
    handler: async ({ useCases, caller }) =>
      json((await useCases.listServiceAccounts(caller.authority)).map(accountView)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/service-accounts/:account_id',
    operation: 'readServiceAccount',
    summary: 'Read a service account',
    description: 'Without its token.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: account,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params }) =>
      json(accountView(await useCases.readServiceAccount(caller.authority, accountIdIn(params)))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/service-accounts/:account_id',
    operation: 'updateServiceAccount',
    summary: 'Change a service account',
    description: 'Absent fields keep their value, and its token stays. Takes effect with the next request.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: accountChange,
    status: 200,
    response: account,
    errors: ['service_account_not_found', 'service_account_taken'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const change = {
        name: fields.name ?? undefined,
        scopes: fields.scopes ?? undefined,
        expiresAt: fields.expires_at,
      };
      return json(accountView(await useCases.updateServiceAccount(caller.authority, accountIdIn(params), change)));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/service-accounts/:account_id/rotate',
    operation: 'rotateServiceAccount',
    summary: "Replace a service account's token",
    description: 'Returns the new token, which is shown only this once.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: rotation,
    status: 200,
    response: issued,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const graceSeconds = fields.grace_seconds ?? 0;
      const rotated = await useCases.rotateServiceAccount(caller.authority, accountIdIn(params), graceSeconds);
      return json(issuedView(rotated), secretHeaders);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/service-accounts/:account_id',
    operation: 'revokeServiceAccount',
    summary: 'Revoke a service account',
    description: 'Immediately, everywhere, for good. Data that it created and its audit entries stay.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.revokeServiceAccount(caller.authority, accountIdIn(params));
      return json({ message: 'Service account revoked' });
    },
  }),
] as const;

const accountIdIn = ({ account_id }: Readonly<Record<string, string>>): ServiceAccountId => {
  const id = parseId<ServiceAccountId>(account_id ?? '');
  if (!id) throw new PorticoError('service_account_not_found');
  return id;
};

const accountView = (from: ServiceAccount): z.input<typeof account> => ({
  id: from.id,
  name: from.name,
  scopes: [...from.scopes],
  expires_at: isoOrNull(from.expiresAt),
  created_by: from.createdBy,
  created_at: toIso(from.createdAt),
  updated_at: toIso(from.updatedAt),
});

const issuedView = ({ account: from, token }: IssuedAccount): z.input<typeof issued> => ({
  ...accountView(from),
  token,
});
