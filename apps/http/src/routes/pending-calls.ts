import {
  type CallId,
  callReasonMax,
  isJsonObject,
  type JsonObject,
  parseExactJson,
  toIso,
  type ReadCall,
  type VisibleCall,
} from '@portico/domain';
import { z } from 'zod';
import { collectionId, numberParameter, optional, profileId, text } from '../requests/fields.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { pagePosition, toCursor } from './page-position.ts';
import { callIdOf, callParameter, createNextPageLink, timestamp, toIsoOrNull, uuid } from './wire.ts';

const state = z.enum(['waiting', 'approved', 'denied', 'expired', 'done']).meta({
  description:
    '`approved`: the caller may make the call once, until `expires_at`. `expired`: the call was not decided, or not ' +
    'made, in time. `done`: the approval was used.',
});

const shape = {
  call_id: uuid,
  state,
  collection_id: uuid,
  collection_name: z.string().nullable().meta({ description: 'null if the caller may no longer see the collection.' }),
  operation_key: z.string().meta({ examples: ['mfrggzdfmztwq2lk'] }),
  method: z.string().meta({ examples: ['DELETE'] }),
  path: z.string().meta({ description: "The operation's path template.", examples: ['/stations/{id}'] }),
  profile_id: uuid.meta({ description: 'The caller.' }),
  email: z.string().meta({ description: "The caller's email address." }),
  requested_at: timestamp,
  expires_at: timestamp.meta({ description: 'One hour after the request; after an approval, one hour after that.' }),
  decided_at: timestamp.nullable().meta({ description: 'null if the call was neither approved nor denied.' }),
  decided_by: uuid.nullable().meta({
    description: 'The profile of the administrator who decided; null for the command line.',
  }),
  reason: z.string().nullable().meta({ description: "The administrator's reason for a denial." }),
};
const pendingCall = z.object(shape).meta({ id: 'PendingCall' });
const readCall = z
  .object({
    ...shape,
    arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description:
          'Visible to the caller until they are deleted, and to administrators in person while the call is waiting; null for ' +
          'others. They are deleted when the call is denied, expired or done.',
      }),
  })
  .meta({ id: 'ReadCall' });

const denial = z
  .object({
    reason: optional(text({ max: callReasonMax })).meta({
      description: 'The reason for the caller.',
      examples: ['Use the test station'],
    }),
  })
  .meta({ id: 'CallDenial' });

const filters = z.object({
  status: state.optional().meta({ description: 'Only calls with this `state`.' }),
  profile_id: profileId
    .optional()
    .meta({ description: 'Only calls by this profile. Only administrators may name other profiles.' }),
  collection_id: collectionId.optional().meta({ description: 'Only calls of this collection.' }),
  limit: numberParameter(1, 1_000).default(100).meta({ description: 'The page size.' }),
  cursor: pagePosition.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

export const pendingCallRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/calls',
    operation: 'listCalls',
    summary: 'List pending calls',
    description:
      'Calls that need a decision by an administrator. Administrators see all calls, other callers only their own. With `status=waiting`, the oldest come first; ' +
      'otherwise the newest. Calls are removed after 30 days.',
    auth: 'token or key',
    scope: 'access:read',
    query: filters,
    status: 200,
    linkParameters: { call_id: '$response.body#/0/call_id' },
    response: z.array(pendingCall),
    errors: ['admin_required'],
    handler: async ({ useCases, caller, query }) => {
      const { limit, cursor, ...parameters } = query;
      const filter = {
        status: parameters.status ?? null,
        profileId: parameters.profile_id ?? null,
        collectionId: parameters.collection_id ?? null,
      };
      const after = cursor ? { requestedAt: cursor.time, id: cursor.id as CallId } : null;
      // One more than the page size, to see whether there is a next page.
      const calls = await useCases.listCalls(caller.principal, filter, { limit: limit + 1, after });
      const last = calls.length > limit ? calls[limit - 1] : undefined;
      if (!last) return toJsonResponse(calls.map(toCallView));
      const nextQuery = {
        limit: `${limit}`,
        ...(parameters.status ? { status: parameters.status } : {}),
        ...(parameters.profile_id ? { profile_id: parameters.profile_id } : {}),
        ...(parameters.collection_id ? { collection_id: parameters.collection_id } : {}),
        cursor: toCursor({ time: last.requestedAt, id: last.id }),
      };
      return toJsonResponse(calls.slice(0, limit).map(toCallView), createNextPageLink('/api/calls', nextQuery));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/calls/:call_id',
    operation: 'readCall',
    summary: 'Read a pending call',
    description: 'Clients can read only their own calls, administrators can read any.',
    params: callParameter,
    auth: 'token or key',
    scope: 'access:read',
    status: 200,
    response: readCall,
    errors: ['call_not_found'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toReadCallView(await useCases.readCall(caller.principal, callIdOf(params.call_id)))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/calls/:call_id/approve',
    operation: 'approveCall',
    summary: 'Approve a call',
    description:
      'The caller may then repeat the call once, with the same arguments, within an hour. Its registration and its access are ' +
      'checked again. Only for administrators in person.',
    params: callParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: pendingCall,
    errors: ['call_not_found', 'call_decided', 'caller_lacks_access'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toCallView(await useCases.approveCall(caller.authority, callIdOf(params.call_id)))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/calls/:call_id/deny',
    operation: 'denyCall',
    summary: 'Deny a call',
    description: 'Deletes the arguments of the call. The body is optional. Only for administrators in person.',
    params: callParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: denial,
    status: 200,
    response: pendingCall,
    errors: ['call_not_found', 'call_decided'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = callIdOf(params.call_id);
      return toJsonResponse(toCallView(await useCases.denyCall(caller.authority, id, fields.reason ?? null)));
    },
  }),
] as const;

const toCallView = (call: VisibleCall): z.input<typeof pendingCall> => ({
  call_id: call.id,
  state: call.status,
  collection_id: call.collectionId,
  collection_name: call.collectionName,
  operation_key: call.operationKey,
  method: call.method,
  path: call.path,
  profile_id: call.profileId,
  email: call.email,
  requested_at: toIso(call.requestedAt),
  expires_at: toIso(call.expiresAt),
  decided_at: toIsoOrNull(call.decidedAt),
  decided_by: call.decidedBy,
  reason: call.reason,
});

const toReadCallView = (call: ReadCall): z.input<typeof readCall> => ({
  ...toCallView(call),
  arguments: call.argumentsText === null ? null : parseArguments(call.argumentsText),
});

const parseArguments = (argumentsText: string): JsonObject => {
  const value = parseExactJson(argumentsText);
  if (!isJsonObject(value)) throw new Error('The arguments of a call are not an object.');
  return value;
};
