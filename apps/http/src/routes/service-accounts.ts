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
import { toJsonResponse } from '../responses/route-response.ts';
import { expiryTime, optional, plainName, removable, wholeNumber } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { toIsoOrNull, message, timestamp, uuid } from './wire.ts';

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
    description: 'The scopes of the account. `write` does not include `read`.',
    examples: [['catalog:write']],
  });
const expiry = expiryTime.meta({
  description:
    'When the account expires. An ISO 8601 date-time, in UTC if it has no time zone; or a date without a time, which is the last day, in UTC. It must be in the future.',
  examples: ['2999-01-31'],
});

const newAccount = z
  .object({ name, scopes: scopeList, expires_at: optional(expiry) })
  .meta({ id: 'NewServiceAccount' });
const accountChange = z
  .object({
    name: optional(name),
    scopes: optional(scopeList),
    expires_at: removable(expiry).meta({ description: 'null removes the expiry: the account then never expires.' }),
  })
  .meta({ id: 'ServiceAccountChange' });
const rotation = z
  .object({
    grace_seconds: optional(wholeNumber(0, graceSecondsMax)).meta({
      default: 0,
      description: 'How long the previous token remains valid, in seconds.',
    }),
  })
  .meta({ id: 'ServiceAccountRotation' });

const accountFields = {
  id: uuid,
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  expires_at: timestamp.nullable(),
  created_by: uuid.nullable().meta({
    description: 'The id of the administrator who created the account; null if it was created on the command line.',
  }),
  created_at: timestamp,
  updated_at: timestamp,
};
const account = z.object(accountFields).meta({ id: 'ServiceAccount' });
const issuedAccount = z
  .object({
    ...accountFields,
    token: z.string().meta({
      description: 'The token, which is sent as `Authorization: Bearer …`. It is returned only once.',
      examples: ['portico_sa_…'],
    }),
  })
  .meta({ id: 'IssuedServiceAccount' });

const accountParameter = {
  account_id: {
    description: 'The `id` of the service account.',
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
    description: 'A service account is a credential for a machine. Returns the token, which cannot be retrieved later.',
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: newAccount,
    status: 201,
    linkParameters: { account_id: '$response.body#/id' },
    response: issuedAccount,
    errors: ['service_account_taken', 'too_many_service_accounts'],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const createdAccount = await useCases.createServiceAccount(caller.authority, {
        name: fields.name,
        scopes: fields.scopes,
        expiresAt: fields.expires_at ?? null,
      });
      return toJsonResponse(toIssuedAccountView(createdAccount), secretHeaders);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/service-accounts',
    operation: 'listServiceAccounts',
    summary: 'List the service accounts',
    description: 'Sorted by name, at most 1,000. Tokens are omitted.',
    auth: 'admin',
    scope: null,
    status: 200,
    linkParameters: { account_id: '$response.body#/0/id' },
    response: z.array(account),
    handler: async ({ useCases, caller }) =>
      toJsonResponse((await useCases.listServiceAccounts(caller.authority)).map(toAccountView)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/service-accounts/:account_id',
    operation: 'readServiceAccount',
    summary: 'Read a service account',
    description: 'The token is omitted.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: account,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toAccountView(await useCases.readServiceAccount(caller.authority, accountIdIn(params)))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/service-accounts/:account_id',
    operation: 'updateServiceAccount',
    summary: 'Change a service account',
    description: 'Absent fields keep their value, and the token does not change. Takes effect as of the next request.',
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
      return toJsonResponse(
        toAccountView(await useCases.updateServiceAccount(caller.authority, accountIdIn(params), change)),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/service-accounts/:account_id/rotate',
    operation: 'rotateServiceAccount',
    summary: "Replace a service account's token",
    description: 'Returns the new token, which cannot be retrieved later.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: rotation,
    status: 200,
    response: issuedAccount,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const graceSeconds = fields.grace_seconds ?? 0;
      const rotatedAccount = await useCases.rotateServiceAccount(caller.authority, accountIdIn(params), graceSeconds);
      return toJsonResponse(toIssuedAccountView(rotatedAccount), secretHeaders);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/service-accounts/:account_id',
    operation: 'revokeServiceAccount',
    summary: 'Revoke a service account',
    description:
      'Takes effect immediately and cannot be undone. Data created by the account and its audit entries are kept.',
    params: accountParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: message,
    errors: ['service_account_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.revokeServiceAccount(caller.authority, accountIdIn(params));
      return toJsonResponse({ message: 'Service account revoked' });
    },
  }),
] as const;

const accountIdIn = ({ account_id }: Readonly<Record<string, string>>): ServiceAccountId => {
  const id = parseId<ServiceAccountId>(account_id ?? '');
  if (!id) throw new PorticoError('service_account_not_found');
  return id;
};

const toAccountView = (row: ServiceAccount): z.input<typeof account> => ({
  id: row.id,
  name: row.name,
  scopes: [...row.scopes],
  expires_at: toIsoOrNull(row.expiresAt),
  created_by: row.createdBy,
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

const toIssuedAccountView = ({ account: row, token }: IssuedAccount): z.input<typeof issuedAccount> => ({
  ...toAccountView(row),
  token,
});
