import { type Principal, requireReadableTarget } from '../../access/principal.ts';
import {
  callLifetimeMs,
  type CallContent,
  type PendingCall,
  type SealedCall,
  waitingCallsMax,
} from '../../calls/pending-call.ts';
import { areSameArguments } from '../../calls/same-arguments.ts';
import type { Collection } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CallId, OperationKey } from '../../ids.ts';
import type { NewCallState, Ports } from '../../ports/index.ts';
import type { Settings } from '../../settings.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import { createNoticeJobs } from '../mails/mail-jobs.ts';
import { omitContent, sealContent, tryOpenContent } from './call-content.ts';
import { callFieldsOf } from './call-fields.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'calls' | 'cipher' | 'profiles' | 'mailer'>;

/** The operation to call. */
export interface CallOperation {
  readonly key: OperationKey;
  readonly method: string;
  readonly path: string;
}

/**
 * Holds a call of the collection that the request is about until an administrator decides: stores it with its sealed
 * arguments, and notifies the administrators. Returns the caller's waiting call instead if there is one with the same
 * operation and arguments (`areSameArguments`), even with another idempotency key. `argumentsText` must be the text of a JSON
 * object. Throws `too_many_pending`, `collection_not_found`, `no_access`, and `invalid_token` if the caller was removed.
 */
export const holdCall =
  (ports: RequiredPorts, settings: Settings) =>
  async (
    principal: Principal<Collection>,
    operation: CallOperation,
    argumentsText: string,
    idempotencyKey: string | null,
  ): Promise<PendingCall> => {
    const collection = requireReadableTarget(principal);
    const jobs = await createNoticeJobs(ports, settings);
    const now = ports.clock.now();
    let pendingCall: PendingCall | null = null;
    await ports.calls.create(principal.profile.id, collection.id, now, (state) => {
      const { profile, collectionName, waitingCalls } = requireCaller(state);
      const sameCall = waitingCalls.find((call) =>
        isSameCall(ports, call, { collectionId: collection.id, operationKey: operation.key, argumentsText }),
      );
      if (sameCall) {
        pendingCall = omitContent(sameCall);
        return null;
      }
      if (waitingCalls.length >= waitingCallsMax)
        throw new PorticoError('too_many_pending', { reason: tooManyMessage });
      const call = createCall(ports, principal, operation, { argumentsText, idempotencyKey }, now);
      pendingCall = omitContent(call);
      const { id, email } = profile;
      return {
        call,
        ...createAuditEffects(
          ports,
          { actor: { id, email }, deadline: principal.deadline },
          { action: 'call.ask', ...callFieldsOf(call, profile, collectionName) },
        ),
        jobs,
      };
    });
    if (!pendingCall) throw new Error('The store fulfilled a call without a decision.');
    return pendingCall;
  };

const requireCaller = ({ profile, collectionName, waitingCalls }: NewCallState) => {
  if (!profile) throw new PorticoError('invalid_token');
  if (collectionName === null) throw new PorticoError('collection_not_found');
  return { profile, collectionName, waitingCalls };
};

const isSameCall = (
  { cipher }: Pick<Ports, 'cipher'>,
  call: SealedCall,
  {
    collectionId,
    operationKey,
    argumentsText,
  }: Pick<SealedCall, 'collectionId' | 'operationKey'> & Pick<CallContent, 'argumentsText'>,
): boolean => {
  if (call.collectionId !== collectionId || call.operationKey !== operationKey) return false;
  const content = tryOpenContent(cipher, call);
  return content !== null && areSameArguments(content.argumentsText, argumentsText);
};

const createCall = (
  { random, cipher }: Pick<Ports, 'random' | 'cipher'>,
  { profile, target }: Principal<Collection>,
  { key, method, path }: CallOperation,
  content: CallContent,
  now: number,
): SealedCall => {
  if (!target) throw new PorticoError('collection_not_found');
  const id = random.uuid() as CallId;
  return {
    id,
    profileId: profile.id,
    collectionId: target.id,
    operationKey: key,
    method,
    path,
    status: 'waiting',
    requestedAt: now,
    expiresAt: now + callLifetimeMs,
    decidedAt: null,
    decidedBy: null,
    reason: null,
    sealed: sealContent(cipher, id, content),
  };
};

const tooManyMessage = `at most ${waitingCallsMax} calls can wait for a decision; try again when some are decided`;
