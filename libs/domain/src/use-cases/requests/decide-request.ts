import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import type { Grant } from '../../grants/grant.ts';
import type { RequestId } from '../../ids.ts';
import { dayMs, type Instant, toIso } from '../../instant.ts';
import type { RequestChange, RequestState } from '../../ports/access-request-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest, ListedRequest } from '../../requests/access-request.ts';
import { applyRequestEvent, type RequestEvent } from '../../requests/request-machine.ts';
import { collectionFieldsOf, profileFieldsOf, createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import { createDecisionMailJobs } from '../mails/mail-jobs.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'requests' | 'mailer'>;

export interface ApprovedRequest {
  readonly request: ListedRequest;
  readonly grant: Grant;
}

/**
 * Approves a pending request and grants the access, in one transaction. If `expiresAt` is undefined, the access expires
 * after the requested number of days, if any; null means no expiry. Throws `invalid_body` for an expiry in the past,
 * and `client_not_found` if the requester has become an admin, as granting access would.
 */
export const approveRequest =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, id: RequestId, expiresAt: Instant | null | undefined): Promise<ApprovedRequest> => {
    const now = ports.clock.now();
    rejectPastExpiry(expiresAt, now);
    return decideRequest(ports, id, (state) => {
      const request = applyRequestEvent(state.request, 'approve', now);
      if (state.profile.role !== 'client') throw new PorticoError('client_not_found');
      const grant = {
        grantedAt: now,
        expiresAt: expiresAt === undefined ? requestedExpiryOf(request, now) : expiresAt,
        rule: null,
      };
      const expiryField = grant.expiresAt === null ? {} : { expires_at: toIso(grant.expiresAt) };
      return {
        request,
        grant,
        ...createAuditEffects(ports, authority, createDecisionMessage(state, 'approve', expiryField)),
      };
    });
  };

/** Denies a pending request; `answer` is the reason for the requester. */
export const denyRequest =
  (ports: RequiredPorts) =>
  async (authority: AdminAuthority, id: RequestId, answer: string | null): Promise<ListedRequest> => {
    const now = ports.clock.now();
    const { request } = await decideRequest(ports, id, (state) => ({
      request: applyRequestEvent(state.request, 'deny', now, answer),
      ...createAuditEffects(ports, authority, createDecisionMessage(state, 'deny')),
    }));
    return request;
  };

const requestedExpiryOf = ({ durationDays }: AccessRequest, now: Instant): Instant | null =>
  durationDays === null ? null : now + durationDays * dayMs;

const createDecisionMessage = (
  { request, profile }: RequestState,
  event: Exclude<RequestEvent, 'grant'>,
  extraFields: Omit<SystemMessage, 'action'> = {},
): SystemMessage => ({
  action: `access.request.${event}`,
  request_id: request.id,
  ...profileFieldsOf(profile),
  ...collectionFieldsOf({ id: request.collectionId, name: request.collectionName }),
  ...extraFields,
});

/** Makes and stores a decision about a request, and notifies the requester; returns the decision. */
const decideRequest = async <Decision extends RequestChange>(
  ports: RequiredPorts,
  id: RequestId,
  decide: (state: RequestState) => Decision,
): Promise<Decision> => {
  let decision: Decision | null = null;
  await ports.requests.decide(id, (state) => {
    decision = decide(state);
    return { ...decision, jobs: createDecisionMailJobs(ports, [decision.request]) };
  });
  if (!decision) throw new Error('The store fulfilled a decision without calling `decide`.');
  return decision;
};
