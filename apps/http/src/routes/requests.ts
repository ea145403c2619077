import {
  deciderAuthorityOf,
  durationDaysMax,
  requestAnswerMax,
  requestReasonMax,
  toIso,
  type RequestId,
  type VisibleRequest,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import {
  collectionId,
  expiryTime,
  numberParameter,
  optional,
  profileId,
  removable,
  text,
  wholeNumber,
} from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { pagePosition, toCursor } from './page-position.ts';
import {
  collectionIdOf,
  toIsoOrNull,
  message,
  createNextPageLink,
  requestIdOf,
  requestParameter,
  timestamp,
  uuid,
} from './wire.ts';

const status = z.enum(['pending', 'approved', 'denied', 'withdrawn', 'granted']);
const shape = {
  id: uuid,
  status: status.meta({
    description: '`granted`: the request was closed because access was granted in a different way.',
  }),
  collection_id: uuid,
  collection_name: z.string().nullable().meta({ description: 'null if the caller may no longer see the collection.' }),
  profile_id: uuid,
  profile_email: z.string(),
  profile_name: z.string(),
  reason: z.string(),
  duration_days: z.int().nullable().meta({ description: 'The requested duration; null if unlimited.' }),
  created_at: timestamp,
  decided_at: timestamp.nullable().meta({ description: 'null while the request is pending.' }),
  answer: z.string().nullable().meta({ description: "The administrator's reason for a denial." }),
};
const accessRequest = z.object(shape).meta({ id: 'AccessRequest' });
const approvedRequest = z
  .object({
    ...shape,
    granted_at: timestamp,
    expires_at: timestamp.nullable().meta({ description: 'When the access expires; null if it never expires.' }),
  })
  .meta({ id: 'ApprovedRequest' });

const newRequest = z
  .object({
    collection_id: collectionId.meta({
      description: 'The id of a collection in the catalog.',
      examples: ['7c9a4f8e-1d2b-4c3a-8e5f-6a7b8c9d0e1f'],
    }),
    reason: text({ max: requestReasonMax }).meta({
      description: 'The purpose, for administrators.',
      examples: ['To send reminders by text message'],
    }),
    duration_days: optional(wholeNumber(1, durationDaysMax)).meta({
      description: 'The duration; unlimited if absent.',
      examples: [90],
    }),
  })
  .meta({ id: 'NewAccessRequest' });

const approval = z
  .object({
    expires_at: removable(expiryTime).meta({
      description:
        'When the access expires. A date without a time is the last day, in UTC. It must be in the future; null if it never expires. If absent, ' +
        'it expires after the `duration_days` of the request.',
    }),
  })
  .meta({ id: 'RequestApproval' });

const denial = z
  .object({
    reason: optional(text({ max: requestAnswerMax })).meta({
      description: 'The reason for the requester, who reads it as `answer`.',
      examples: ['Use the shared account'],
    }),
  })
  .meta({ id: 'RequestDenial' });

const filters = z.object({
  status: status.optional().meta({ description: 'Only requests with this status.' }),
  profile_id: profileId
    .optional()
    .meta({ description: 'Only requests of this profile. Only administrators and owners may name other profiles.' }),
  collection_id: collectionId.optional().meta({ description: 'Only requests for this collection.' }),
  limit: numberParameter(1, 1_000).default(100).meta({ description: 'The page size.' }),
  cursor: pagePosition.optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

export const requestRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/access/requests',
    operation: 'listRequests',
    summary: 'List requests for access',
    description:
      'Administrators see all requests, owners their own and those for their collections, other callers only their own. With `status=pending`, the oldest come first; ' +
      'otherwise the newest.',
    auth: 'token or key',
    scope: 'access:read',
    query: filters,
    status: 200,
    linkParameters: { request_id: '$response.body#/0/id' },
    response: z.array(accessRequest),
    errors: ['admin_required'],
    handler: async ({ useCases, caller, query }) => {
      const { limit, cursor, ...parameters } = query;
      const after = cursor ? { createdAt: cursor.time, id: cursor.id as RequestId } : null;
      const filter = {
        status: parameters.status ?? null,
        profileId: parameters.profile_id ?? null,
        collectionId: parameters.collection_id ?? null,
      };
      // One more than the page size, to see whether there is a next page.
      const requests = await useCases.listRequests(caller.principal, filter, { limit: limit + 1, after });
      const last = requests.length > limit ? requests[limit - 1] : undefined;
      const nextQuery = {
        limit: `${limit}`,
        ...(parameters.status ? { status: parameters.status } : {}),
        ...(parameters.profile_id ? { profile_id: parameters.profile_id } : {}),
        ...(parameters.collection_id ? { collection_id: parameters.collection_id } : {}),
      };
      const headers = last
        ? createNextPageLink('/api/access/requests', {
            ...nextQuery,
            cursor: toCursor({ time: last.createdAt, id: last.id }),
          })
        : {};
      return toJsonResponse(requests.slice(0, limit).map(toRequestView), headers);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/access/requests',
    operation: 'askForAccess',
    summary: 'Request access to a collection',
    description:
      'For approved clients. Administrators and owners of the collection decide on the request; they get an email if mail is enabled. A client can have one pending ' +
      'request per collection, and at most 100 in total; granting the access in any other way closes the request.',
    auth: 'token or key',
    scope: null,
    bodyKind: 'json',
    body: newRequest,
    status: 201,
    linkParameters: { request_id: '$response.body#/id', collection_id: '$response.body#/collection_id' },
    response: accessRequest,
    errors: [
      'approval_required',
      'needs_no_grant',
      'collection_not_found',
      'already_granted',
      'collection_retired',
      'already_requested',
      'too_many_pending',
    ],
    handler: async ({ useCases, caller, body: { fields } }) => {
      const createdRequest = await useCases.requestAccess(caller.principal, {
        collectionId: collectionIdOf(fields.collection_id ?? undefined),
        reason: fields.reason,
        durationDays: fields.duration_days ?? null,
      });
      return toJsonResponse(toRequestView(createdRequest));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/access/requests/:request_id',
    operation: 'readRequest',
    summary: 'Read a request for access',
    description:
      'Clients can read only their own requests, owners also those for their collections, administrators any.',
    params: requestParameter,
    auth: 'token or key',
    scope: 'access:read',
    status: 200,
    response: accessRequest,
    errors: ['request_not_found'],
    handler: async ({ useCases, caller, params }) =>
      toJsonResponse(toRequestView(await useCases.readRequest(caller.principal, requestIdOf(params.request_id)))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/requests/:request_id',
    operation: 'withdrawRequest',
    summary: 'Withdraw a pending request for access',
    description: 'Only for requests of the caller. The request is still listed, with the status `withdrawn`.',
    params: requestParameter,
    auth: 'token or key',
    scope: null,
    status: 200,
    response: message,
    errors: ['request_not_found', 'request_decided'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.withdrawRequest(caller.principal, requestIdOf(params.request_id));
      return toJsonResponse({ message: 'Request withdrawn' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/access/requests/:request_id/approve',
    operation: 'approveRequest',
    summary: 'Approve a request for access',
    description:
      'For administrators and owners of the collection; no owner decides its own request. ' +
      'Grants the collection in the same transaction. The body is optional. If the requester has become an administrator, ' +
      'it is no longer a client, which results in a 404.',
    params: requestParameter,
    auth: 'admin or owner',
    scope: 'access:write',
    bodyKind: 'json',
    body: approval,
    status: 200,
    response: approvedRequest,
    errors: ['request_not_found', 'client_not_found', 'request_decided', 'collection_retired'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = requestIdOf(params.request_id);
      const { request, grant } = await useCases.approveRequest(
        deciderAuthorityOf(caller.principal),
        id,
        fields.expires_at,
      );
      return toJsonResponse({
        ...toRequestView(request),
        granted_at: toIso(grant.grantedAt),
        expires_at: toIsoOrNull(grant.expiresAt),
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/access/requests/:request_id/deny',
    operation: 'denyRequest',
    summary: 'Deny a request for access',
    description: 'For administrators and owners of the collection. The body is optional. The client may try again.',
    params: requestParameter,
    auth: 'admin or owner',
    scope: 'access:write',
    bodyKind: 'json',
    body: denial,
    status: 200,
    response: accessRequest,
    errors: ['request_not_found', 'request_decided'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = requestIdOf(params.request_id);
      return toJsonResponse(
        toRequestView(await useCases.denyRequest(deciderAuthorityOf(caller.principal), id, fields.reason ?? null)),
      );
    },
  }),
] as const;

const toRequestView = (request: VisibleRequest): z.input<typeof accessRequest> => ({
  id: request.id,
  status: request.status,
  collection_id: request.collectionId,
  collection_name: request.collectionName,
  profile_id: request.profileId,
  profile_email: request.email,
  profile_name: request.fullName,
  reason: request.reason,
  duration_days: request.durationDays,
  created_at: toIso(request.createdAt),
  decided_at: toIsoOrNull(request.decidedAt),
  answer: request.answer,
});
