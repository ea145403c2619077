import type { Principal } from '../../access/principal.ts';
import { applyCallEvent, statusAt } from '../../calls/call-machine.ts';
import type { CallStatus, PendingCall } from '../../calls/pending-call.ts';
import { areSameArguments } from '../../calls/same-arguments.ts';
import type { Collection } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CallId, OperationKey } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { omitContent, tryOpenContent } from './call-content.ts';

/** `waiting`: the call may not be made yet. `redeemed`: it may be made now, once. */
export type CallRedemption =
  | { readonly outcome: 'waiting'; readonly call: PendingCall }
  | {
      readonly outcome: 'redeemed';
      readonly call: PendingCall;
      /** The idempotency key of the request that was held; null if it had none. */
      readonly idempotencyKey: string | null;
    };

/**
 * Redeems the approval of a call: marks it `done` and deletes its arguments, so that exactly one of several concurrent
 * repetitions is redeemed. Changes nothing while the call is waiting. Throws `call_not_found` unless the call is the
 * caller's own, for this operation of the collection that the request is about; `call_decided` if it is denied, expired
 * or done; and `call_differs` if the arguments differ (`areSameArguments`).
 */
export const redeemCall =
  (ports: Pick<Ports, 'clock' | 'calls' | 'cipher'>) =>
  async (
    principal: Principal<Collection>,
    operationKey: OperationKey,
    argumentsText: string,
    callId: CallId,
  ): Promise<CallRedemption> => {
    const now = ports.clock.now();
    let redemption: CallRedemption | null = null;
    await ports.calls.decide(callId, now, ({ call }) => {
      const isOwn = call.profileId === principal.profile.id;
      if (!isOwn || call.collectionId !== principal.target?.id || call.operationKey !== operationKey)
        throw new PorticoError('call_not_found');
      const status = statusAt(call, now);
      const reason = closedReasons[status];
      if (reason !== null) throw new PorticoError('call_decided', { reason });
      const content = tryOpenContent(ports.cipher, call);
      if (!content || !areSameArguments(content.argumentsText, argumentsText)) throw new PorticoError('call_differs');
      if (status === 'waiting') {
        redemption = { outcome: 'waiting', call: omitContent(call) };
        return null;
      }
      const doneCall = applyCallEvent(call, 'redeem', now);
      redemption = { outcome: 'redeemed', call: omitContent(doneCall), idempotencyKey: content.idempotencyKey };
      return { call: doneCall, deadline: principal.deadline };
    });
    if (!redemption) throw new Error('The store fulfilled a decision without calling `decide`.');
    return redemption;
  };

/** Why a call with this status can no longer be made; null if it can be. */
const closedReasons: Readonly<Record<CallStatus, string | null>> = {
  waiting: null,
  approved: null,
  denied: 'denied',
  expired: 'expired; send it without call_id to ask again',
  done: 'done; send it without call_id to ask again',
};
