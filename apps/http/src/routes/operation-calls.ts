import {
  callResponseBytesMax,
  callTimeoutMs,
  parseOperationKey,
  PorticoError,
  requireReadableTarget,
  toIso,
  type CallResult,
  type PendingCall,
} from '@portico/domain';
import { z } from 'zod';
import { callId, optional, wholeNumber } from '../requests/fields.ts';
import { readIdempotencyKey } from '../requests/idempotency-key.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { operationParameter } from './operations.ts';
import { argumentBytesMax, operationArguments } from './prepared-requests.ts';
import { timestamp, uuid } from './wire.ts';

const call = z
  .object({
    arguments: operationArguments,
    timeout_ms: optional(wholeNumber(callTimeoutMs.min, callTimeoutMs.max)).meta({
      default: callTimeoutMs.default,
      description: 'The timeout of the whole call, in milliseconds.',
    }),
    call_id: optional(callId).meta({
      description: 'The call that was approved, to make it now, with the same arguments.',
    }),
  })
  .meta({ id: 'OperationCall' });

const callResult = z
  .object({
    call_id: uuid.meta({ description: 'Identifies the call in the audit log.' }),
    status: z.int().meta({ description: 'The status of the response; a redirect is not followed.' }),
    headers: z.record(z.string(), z.string()).meta({
      description: 'The headers about the content, caching, paging and limits, with names in lower case.',
    }),
    body: z
      .union([z.object({ text: z.string() }), z.object({ base64: z.string() })])
      .nullable()
      .meta({ description: 'In base64 if it is not text; null if it is empty. The credential is replaced in it.' }),
    truncated: z.boolean().meta({ description: `Whether the body was longer than ${callResponseBytesMax} bytes.` }),
    duration_ms: z.int(),
  })
  .meta({ id: 'OperationCallResult' });

const heldCall = z
  .object({
    call_id: uuid,
    state: z.literal('waiting'),
    expires_at: timestamp.meta({ description: 'The call expires if it is not decided by then.' }),
  })
  .meta({ id: 'HeldCall', description: 'The call waits for the decision of an administrator: `GET /api/calls/{id}`.' });

export const operationCallRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/collections/:collection_id/operations/:operation_key/call',
    operation: 'callOperation',
    summary: 'Call an operation',
    description:
      'Sends the request that `prepare` returns, with the credentials that are stored for the caller, and returns the ' +
      'response of the API, with any status. Follows no redirect, and repeats no request. `Idempotency-Key` is passed ' +
      'to the API. A 424 says which credential is missing; a 502, why the API could not be reached.',
    params: operationParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: null,
    bodyKind: 'json',
    bodyBytesMax: argumentBytesMax,
    body: call,
    status: 200,
    response: z.union([callResult, heldCall]),
    alternativeStatuses: {
      202: 'The call waits for the decision of an administrator. After the approval, repeat it with `call_id`.',
    },
    errors: [
      'no_access',
      'call_not_found',
      'call_decided',
      'call_differs',
      'too_many_pending',
      'operation_denied',
      'collection_not_found',
      'operation_not_found',
      'invalid_arguments',
      'ambiguous_credential',
      'origin_changed',
      'no_usable_credential',
      'upstream_unreachable',
      'calls_off',
      'collection_retired',
      'upstream_timed_out',
    ],
    handler: async ({ useCases, caller, params, body, request }) => {
      requireReadableTarget(caller.principal);
      const key = parseOperationKey(params.operation_key ?? '');
      if (!key) throw new PorticoError('operation_not_found');
      const answer = await useCases.callOperation(caller.principal, key, {
        argumentsText: body.readMemberText('arguments') ?? '{}',
        timeoutMs: body.fields.timeout_ms ?? callTimeoutMs.default,
        bodyBytesMax: callResponseBytesMax,
        idempotencyKey: readIdempotencyKey(request),
        callId: body.fields.call_id ?? null,
      });
      if (answer.outcome === 'response') return toJsonResponse(toCallView(answer.result));
      return toJsonResponse(toHeldCallView(answer.call), {}, 202);
    },
  }),
] as const;

export const toHeldCallView = ({ id, expiresAt }: PendingCall): z.input<typeof heldCall> => ({
  call_id: id,
  state: 'waiting',
  expires_at: toIso(expiresAt),
});

export const toCallView = ({
  callId,
  status,
  headers,
  body,
  isTruncated,
  durationMs,
}: CallResult): z.input<typeof callResult> => ({
  call_id: callId,
  status,
  headers,
  body,
  truncated: isTruncated,
  duration_ms: durationMs,
});
