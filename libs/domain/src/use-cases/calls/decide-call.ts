import type { PersonAuthority } from '../../access/principal.ts';
import { approvalRules } from '../../calls/approval-rules.ts';
import { applyCallEvent } from '../../calls/call-machine.ts';
import type { ListedCall } from '../../calls/pending-call.ts';
import { PorticoError } from '../../errors.ts';
import type { CallId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { CallState, Ports, StoredCall } from '../../ports/index.ts';
import { createAuditEffects } from '../audit/system-entry.ts';
import { createCallMailJobs } from '../mails/mail-jobs.ts';
import { omitContent } from './call-content.ts';
import { callFieldsOf } from './call-fields.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'calls' | 'mailer'>;

/**
 * Approves a waiting call: its caller may make it once, within an hour. Throws `call_not_found`, `call_decided` if it is
 * not waiting, and `caller_lacks_access` with the first of `approvalRules` that does not hold now.
 */
export const approveCall =
  (ports: RequiredPorts) =>
  (authority: PersonAuthority, id: CallId): Promise<ListedCall> =>
    decideCall(ports, authority, id, 'approve', (state, now) => {
      const call = applyCallEvent(state.call, 'approve', now);
      for (const rule of approvalRules) {
        const reason = rule(state);
        if (reason !== null) throw new PorticoError('caller_lacks_access', { reason });
      }
      return call;
    });

/** Denies a waiting call; `reason` is for the caller. Throws `call_not_found`, and `call_decided` if it is not waiting. */
export const denyCall =
  (ports: RequiredPorts) =>
  (authority: PersonAuthority, id: CallId, reason: string | null): Promise<ListedCall> =>
    decideCall(ports, authority, id, 'deny', ({ call }, now) => ({
      ...applyCallEvent(call, 'deny', now),
      reason,
    }));

/** Makes and stores a decision about a call, and notifies the caller. */
const decideCall = async (
  ports: RequiredPorts,
  authority: PersonAuthority,
  id: CallId,
  event: 'approve' | 'deny',
  apply: (state: CallState, now: Instant) => StoredCall,
): Promise<ListedCall> => {
  const now = ports.clock.now();
  let decidedCall: ListedCall | null = null;
  await ports.calls.decide(id, now, (state) => {
    const call = { ...apply(state, now), decidedAt: now, decidedBy: authority.actor?.id ?? null };
    decidedCall = omitContent(call);
    return {
      call,
      ...createAuditEffects(ports, authority, {
        action: `call.${event}`,
        ...callFieldsOf(call, state.profile, call.collectionName),
      }),
      jobs: createCallMailJobs(ports, call),
    };
  });
  if (!decidedCall) throw new Error('The store fulfilled a decision without calling `decide`.');
  return decidedCall;
};
