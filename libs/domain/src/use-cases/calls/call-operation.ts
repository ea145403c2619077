import type { CallPermission } from '../../access/operation-rule.ts';
import { createCallerQueue } from '../../access/caller-queue.ts';
import { permissionOf, type Principal, requireReadableTarget } from '../../access/principal.ts';
import { rejectOverrides, requireOrigin } from '../../calls/call-address.ts';
import type { CallAnswer, CallInput } from '../../calls/call.ts';
import { rejectRetired } from '../../changes/lifecycle-machine.ts';
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
import { holdCall } from './hold-call.ts';
import { type CallRedemption, redeemCall } from './redeem-call.ts';
import { chooseCredentials, rejectForeignOrigins } from './choose-credentials.ts';
import { type RecordingPorts, sendCall, toBytes } from './send-call.ts';

/** The number of a caller's requests that are prepared at a time: one runs, and the others wait. */
const preparationsMax = 4;

type RequiredPorts = RecordingPorts &
  Pick<
    Ports,
    | 'calls'
    | 'cipher'
    | 'collections'
    | 'credentials'
    | 'documents'
    | 'egress'
    | 'limiter'
    | 'mailer'
    | 'operations'
    | 'profiles'
    | 'slicer'
  >;

type CallOperation = (principal: Principal<Collection>, key: OperationKey, input: CallInput) => Promise<CallAnswer>;

/**
 * Calls an operation of the collection that the request is about, with the credentials that are stored for the caller.
 * Every response of the API is a result, with any status. If the caller's rules say that the operation needs a decision,
 * holds the call, or makes one that was approved. Throws `calls_off`, `collection_retired`, `operation_not_found`, `operation_denied`,
 * `invalid_arguments`, `no_usable_credential`, `ambiguous_credential`, `origin_changed`, `rate_limited`,
 * `upstream_unreachable` and `upstream_timed_out`, and the errors of `holdCall` and `redeemCall`.
 */
export const callOperation = (ports: RequiredPorts, settings: Settings): CallOperation => {
  const { egress } = ports;
  if (!egress) return rejectCall;
  const prepare = createPreparation(ports, createCallerQueue(preparationsMax - 1));
  const readCredentials = readCallCredentials(ports);
  const ask = askForDecision(ports, settings);
  const connections = { egress, tokens: createAccessTokens(egress, ports.clock) };
  return async (principal, key, input) => {
    const collection = requireReadableTarget(principal);
    rejectRetired(collection);
    const operation = await locateOperation(ports, collection, key);
    const permission = requirePermission(principal, operation);
    const storedCredentials = await readCredentials(principal);
    const callSettings = { ...operation.context.settings, storedSchemes: storedCredentials.schemes };
    const context = { ...operation.context, settings: callSettings };
    const { argumentsText } = input;
    const request = requireRequest(await prepare(principal, collection, { ...operation, context, argumentsText }));
    const credentials = chooseCredentials(request, storedCredentials);
    rejectForeignOrigins(credentials, requireOrigin(request.url));
    rejectOverrides(request.headers);
    const call = { principal, collection, operation, input, request, body: toBytes(request), credentials };
    const decision = permission === 'ask' ? await ask(call) : null;
    if (decision?.outcome === 'waiting') return decision;
    await countCall(ports, settings.callLimit, principal);
    const approvedInput = decision ? { ...input, idempotencyKey: decision.idempotencyKey } : input;
    const result = await sendCall({ ...ports, ...connections }, { ...call, input: approvedInput });
    return { outcome: 'response', result };
  };
};

/** Holds a new call, or redeems the approval of one that is repeated. */
const askForDecision = (ports: RequiredPorts, settings: Settings) => {
  const hold = holdCall(ports, settings);
  const redeem = redeemCall(ports);
  return async ({ principal, operation, input }: HeldCall): Promise<CallRedemption> => {
    const { argumentsText, callId, idempotencyKey } = input;
    const { method, path, context } = operation;
    const key = context.operationKey;
    if (callId !== null) return redeem(principal, key, argumentsText, callId);
    return { outcome: 'waiting', call: await hold(principal, { key, method, path }, argumentsText, idempotencyKey) };
  };
};

interface HeldCall {
  readonly principal: Principal<Collection>;
  readonly operation: LocatedOperation;
  readonly input: CallInput;
}

/** Returns whether the call needs a decision; throws `operation_denied` if the caller must not call the operation. */
const requirePermission = (
  principal: Principal,
  { method, context }: Pick<LocatedOperation, 'method' | 'context'>,
): CallPermission => {
  if (method === 'TRACE')
    throw new PorticoError('operation_denied', { reason: 'TRACE returns the request, with its credentials' });
  const permission = permissionOf(principal, { key: context.operationKey, method });
  if (permission === 'denied')
    throw new PorticoError('operation_denied', {
      reason: 'your access to this API does not include it: an administrator of this catalog can allow it',
    });
  return permission;
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
