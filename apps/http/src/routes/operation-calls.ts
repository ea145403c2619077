import {
  callResponseBytesMax,
  callTimeoutMs,
  parseOperationKey,
  PorticoError,
  requireReadableTarget,
  type CallResult,
} from '@portico/domain';
import { z } from 'zod';
import { optional, wholeNumber } from '../requests/fields.ts';
import { readIdempotencyKey } from '../requests/idempotency-key.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { operationParameter } from './operations.ts';
import { argumentBytesMax, operationArguments } from './prepared-requests.ts';
import { uuid } from './wire.ts';

const call = z
  .object({
    arguments: operationArguments,
    timeout_ms: optional(wholeNumber(callTimeoutMs.min, callTimeoutMs.max)).meta({
      default: callTimeoutMs.default,
      description: 'The timeout of the whole call, in milliseconds.',
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

export const operationCallRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/collections/:collection_id/operations/:operation_key/call',
    operation: 'callOperation',
    summary: 'Call an operation',
    description:
      'Sends the request that `prepare` returns, with the credentials that are stored for the caller, and returns the ' +
      'response of the API, whatever its status. Follows no redirect, and repeats no request. `Idempotency-Key` is passed ' +
      'to the API. A 424 says which credential is missing; a 502, why the API could not be reached.',
    params: operationParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: null,
    bodyKind: 'json',
    bodyBytesMax: argumentBytesMax,
    body: call,
    status: 200,
    response: callResult,
    errors: [
      'no_access',
      'operation_denied',
      'collection_not_found',
      'operation_not_found',
      'invalid_arguments',
      'ambiguous_credential',
      'origin_changed',
      'no_usable_credential',
      'upstream_unreachable',
      'calls_off',
      'upstream_timed_out',
    ],
    handler: async ({ useCases, caller, params, body, request }) => {
      requireReadableTarget(caller.principal);
      const key = parseOperationKey(params.operation_key ?? '');
      if (!key) throw new PorticoError('operation_not_found');
      const result = await useCases.callOperation(caller.principal, key, {
        argumentsText: body.readMemberText('arguments') ?? '{}',
        timeoutMs: body.fields.timeout_ms ?? callTimeoutMs.default,
        bodyBytesMax: callResponseBytesMax,
        idempotencyKey: readIdempotencyKey(request),
      });
      return toJsonResponse(toCallView(result));
    },
  }),
] as const;

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
