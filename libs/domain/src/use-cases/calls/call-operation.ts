import { createCallerQueue } from '../../access/caller-queue.ts';
import { permissionOf, type Principal, requireReadableTarget } from '../../access/principal.ts';
import { originOf, rejectOverrides } from '../../calls/call-address.ts';
import type { CallInput, CallResult } from '../../calls/call.ts';
import type { Collection } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { OperationKey } from '../../ids.ts';
import { callSubjectOf } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { LocatedOperation } from '../../ports/operation-slicer.ts';
import type { Settings } from '../../settings.ts';
import { readCallCredentials } from '../collections/call-credentials.ts';
import { createPreparation, locateOperation, requireRequest } from '../operations/describe-operation.ts';
import { createAccessTokens } from './access-tokens.ts';
import { chooseCredentials, rejectForeignOrigins } from './choose-credentials.ts';
import { type RecordingPorts, sendCall } from './send-call.ts';

/** The number of a caller's requests that are prepared at a time: one runs, and the others wait. */
const preparationsMax = 4;

type RequiredPorts = RecordingPorts &
  Pick<Ports, 'collections' | 'credentials' | 'documents' | 'operations' | 'slicer' | 'cipher' | 'limiter' | 'egress'>;

type CallOperation = (principal: Principal<Collection>, key: OperationKey, input: CallInput) => Promise<CallResult>;

/**
 * Calls an operation of the collection that the request is about, with the credentials that are stored for the caller.
 * Every response of the API is a result, with any status. Throws `calls_off`, `operation_not_found`,
 * `invalid_arguments`, `no_usable_credential`, `ambiguous_credential`, `origin_changed`, `rate_limited`,
 * `upstream_unreachable` and `upstream_timed_out`.
 */
export const callOperation = (ports: RequiredPorts, { callLimit }: Pick<Settings, 'callLimit'>): CallOperation => {
  const { egress } = ports;
  if (!egress) return rejectCall;
  const prepare = createPreparation(ports, createCallerQueue(preparationsMax - 1));
  const readCredentials = readCallCredentials(ports);
  const connections = { egress, tokens: createAccessTokens(egress, ports.clock) };
  return async (principal, key, input) => {
    const collection = requireReadableTarget(principal);
    const operation = await locateOperation(ports, collection, key);
    rejectDenied(principal, operation);
    const storedCredentials = await readCredentials(principal);
    const settings = { ...operation.context.settings, storedSchemes: storedCredentials.schemes };
    const context = { ...operation.context, settings };
    const { argumentsText } = input;
    const request = requireRequest(await prepare(principal, collection, { ...operation, context, argumentsText }));
    const credentials = chooseCredentials(request, storedCredentials);
    rejectForeignOrigins(credentials, originOf(request.url));
    rejectOverrides(request.headers);
    await countCall(ports, callLimit, principal);
    return sendCall({ ...ports, ...connections }, { principal, collection, operation, input, request, credentials });
  };
};

/** Throws `operation_denied` if the caller must not call the operation. */
const rejectDenied = (
  principal: Principal,
  { method, context }: Pick<LocatedOperation, 'method' | 'context'>,
): void => {
  if (method === 'TRACE')
    throw new PorticoError('operation_denied', { reason: 'TRACE returns the request, with its credentials' });
  if (permissionOf(principal, { key: context.operationKey, method }) === 'denied')
    throw new PorticoError('operation_denied', {
      reason: 'your access to this API does not include it: an administrator of this catalog can allow it',
    });
};

const rejectCall: CallOperation = async () => {
  throw new PorticoError('calls_off', { reason: 'prepare the call, and send it yourself' });
};

/** Counts the call against the limit for calls. */
const countCall = async (
  { limiter }: Pick<Ports, 'limiter'>,
  callLimit: Settings['callLimit'],
  { profile }: Principal,
): Promise<void> => {
  if (!callLimit) return;
  const rateLimit = { ...(await limiter.consume(callSubjectOf(profile.id), callLimit)), policy: 'calls' as const };
  if (!rateLimit.isAdmitted) throw new PorticoError('rate_limited', { rateLimit });
};
