import { PorticoError } from '../errors.ts';
import type { Instant } from '../instant.ts';
import { callLifetimeMs, type CallStatus, type PendingCall, type SealedCall } from './pending-call.ts';

export type CallEvent = 'approve' | 'deny' | 'redeem' | 'expire';

/** The states of a call and their transitions. */
const machine = {
  waiting: { approve: 'approved', deny: 'denied', expire: 'expired' },
  approved: { redeem: 'done', expire: 'expired' },
  denied: {},
  expired: {},
  done: {},
} as const satisfies Record<CallStatus, Partial<Record<CallEvent, CallStatus>>>;

/** Whether a call with this status expires. */
export const canExpire = (status: CallStatus): boolean => 'expire' in machine[status];

/** Returns the status at this time: a call is expired from `expiresAt` on, whether or not the expiry is stored. */
export const statusAt = ({ status, expiresAt }: Pick<PendingCall, 'status' | 'expiresAt'>, now: Instant): CallStatus =>
  canExpire(status) && now >= expiresAt ? 'expired' : status;

/**
 * Returns the call after the event, without its arguments unless it was approved: an approved call is compared with its
 * repetition. Throws `call_decided`, which names the status, if the call's status at this time does not allow the event.
 */
export const applyCallEvent = <Call extends SealedCall>(call: Call, event: CallEvent, now: Instant): Call => {
  const currentStatus = statusAt(call, now);
  const transitions: { readonly [Allowed in CallEvent]?: CallStatus } = machine[currentStatus];
  const status = transitions[event];
  if (!status) throw new PorticoError('call_decided', { reason: currentStatus });
  return status === 'approved'
    ? { ...call, status, expiresAt: now + callLifetimeMs }
    : { ...call, status, sealed: null };
};
